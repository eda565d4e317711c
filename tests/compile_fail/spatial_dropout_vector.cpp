// SPDX-License-Identifier: MIT
// Channels dropped of what has no positions.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<SpatialDropout1D<0.1F>>> {};
#else
struct net : model<input<4, 8>, sequential<SpatialDropout1D<0.1F>>> {};
#endif
static_assert(check<net>());
