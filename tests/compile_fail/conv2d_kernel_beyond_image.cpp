// SPDX-License-Identifier: MIT
// A kernel that fits nowhere within the image.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 4, 1>, sequential<Conv2D<8, 5>>> {};
#else
struct net : model<input<4, 4, 1>, sequential<Conv2D<8, 5, same_padding>>> {};
#endif
static_assert(check<net>());
