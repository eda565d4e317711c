// SPDX-License-Identifier: MIT
// A branch without layers.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<concat<Dense<8>, sequential<>>>> {};
#else
struct net : model<input<784>, sequential<concat<Dense<8>, sequential<Dense<8>>>>> {};
#endif
static_assert(check<net>());
