// SPDX-License-Identifier: MIT
// A layer stands where a stage belongs.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, pipeline<stage<Dense<64>>, Dense<10>>> {};
#else
struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};
#endif
static_assert(check<net>());
