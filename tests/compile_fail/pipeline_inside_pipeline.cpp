// SPDX-License-Identifier: MIT
// A pipeline stands where a stage belongs.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, pipeline<pipeline<stage<Dense<17>>>>> {};
#else
struct net : model<input<784>, pipeline<stage<Dense<17>>>> {};
#endif
static_assert(check<net>());
