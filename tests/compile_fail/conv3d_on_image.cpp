// SPDX-License-Identifier: MIT
// A convolution of volumes on an image.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<9, 9, 3>, Conv3D<8, 3>> {};
#else
struct net : model<input<9, 9, 9, 3>, Conv3D<8, 3>> {};
#endif
static_assert(check<net>());
