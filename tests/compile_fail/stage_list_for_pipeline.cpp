// SPDX-License-Identifier: MIT
// Stage numbers for a model that has its stages.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net
    : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>, stage_assignment<0, 1>> {};
#else
struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};
#endif
static_assert(check<net>());
