// SPDX-License-Identifier: MIT
// Stage numbers that leave one out.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net
    : model<input<784>, sequential<Dense<64>, Dense<32>, Dense<10>>, stage_assignment<0, 2, 3>> {};
#else
struct net
    : model<input<784>, sequential<Dense<64>, Dense<32>, Dense<10>>, stage_assignment<0, 1, 2>> {};
#endif
static_assert(check<net>());
