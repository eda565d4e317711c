// SPDX-License-Identifier: MIT
// Groups, which the channels are already.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<9, 9, 3>, sequential<DepthwiseConv2D<3, groups<3>>>> {};
#else
struct net : model<input<9, 9, 3>, sequential<DepthwiseConv2D<3, depth_multiplier<3>>>> {};
#endif
static_assert(check<net>());
