// SPDX-License-Identifier: MIT
// More cropped than there is.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 8, 3>, sequential<Cropping2D<2>>> {};
#else
struct net : model<input<4, 8, 3>, sequential<Cropping2D<1>>> {};
#endif
static_assert(check<net>());
