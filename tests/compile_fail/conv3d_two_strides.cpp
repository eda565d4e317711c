// SPDX-License-Identifier: MIT
// Two strides of a volume.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<9, 9, 9, 3>, Conv3D<8, 3, strides<1, 2>>> {};
#else
struct net : model<input<9, 9, 9, 3>, Conv3D<8, 3, strides<1, 2, 2>>> {};
#endif
static_assert(check<net>());
