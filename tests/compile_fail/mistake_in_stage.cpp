// SPDX-License-Identifier: MIT
// The message names the stage, and the layer counts through all stages.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Reshape<8, 8>, Conv2D<10, 3>>>> {};
#else
struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Reshape<64>, Dense<10>>>> {};
#endif
static_assert(check<net>());
