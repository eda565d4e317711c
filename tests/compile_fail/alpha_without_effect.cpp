// SPDX-License-Identifier: MIT
// An alpha for an activation that has none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using hidden = Dense<64, relu, alpha<0.1F>>;
#else
using hidden = Dense<64, leaky_relu, alpha<0.1F>>;
#endif

struct net : model<input<784>, sequential<hidden, Dense<10>>> {};

static_assert(check<net>());
