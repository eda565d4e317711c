// SPDX-License-Identifier: MIT
// A single branch.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<concat<Dense<8>>>> {};
#else
struct net : model<input<784>, sequential<concat<Dense<8>, Dense<8>>>> {};
#endif
static_assert(check<net>());
