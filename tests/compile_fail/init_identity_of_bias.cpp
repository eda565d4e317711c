// SPDX-License-Identifier: MIT
// A matrix for a vector.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using hidden = Dense<64, relu, bias_init<identity>>;
#else
using hidden = Dense<64, relu, init<identity>>;
#endif

struct net : model<input<784>, sequential<hidden, Dense<10>>> {};

static_assert(check<net>());
