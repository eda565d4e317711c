// SPDX-License-Identifier: MIT
// Stage numbers that go back.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net
    : model<input<784>, sequential<Dense<64>, Dense<32>, Dense<10>>, stage_assignment<0, 1, 0>> {};
#else
struct net
    : model<input<784>, sequential<Dense<64>, Dense<32>, Dense<10>>, stage_assignment<0, 1, 1>> {};
#endif
static_assert(check<net>());
