// SPDX-License-Identifier: MIT
// A kernel with holes that takes strides.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<9, 9, 1>, sequential<Conv2D<8, 3, dilation_rate<2>, strides<2>>>> {};
#else
struct net : model<input<9, 9, 1>, sequential<Conv2D<8, 3, dilation_rate<2>>>> {};
#endif
static_assert(check<net>());
