// SPDX-License-Identifier: MIT
// Stage numbers that do not start at 0.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net
    : model<input<784>, sequential<Dense<64>, Dense<32>, Dense<10>>, stage_assignment<1, 1, 2>> {};
#else
struct net
    : model<input<784>, sequential<Dense<64>, Dense<32>, Dense<10>>, stage_assignment<0, 0, 1>> {};
#endif
static_assert(check<net>());
