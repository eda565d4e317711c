// SPDX-License-Identifier: MIT
// How a bias starts that there is not.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using hidden = Dense<64, use_bias<false>, bias_init<ones>>;
#else
using hidden = Dense<64, bias_init<ones>>;
#endif

struct net : model<input<784>, sequential<hidden, Dense<10>>> {};

static_assert(check<net>());
