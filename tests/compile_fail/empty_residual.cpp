// SPDX-License-Identifier: MIT
// A residual without layers.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Dense<64>, residual<>>> {};
#else
struct net : model<input<784>, sequential<Dense<64>, residual<Dense<64>>>> {};
#endif
static_assert(check<net>());
