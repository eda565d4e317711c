// SPDX-License-Identifier: MIT
// Groups that do not divide the channels.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<9, 9, 3>, sequential<Conv2D<8, 3, groups<2>>>> {};
#else
struct net : model<input<9, 9, 4>, sequential<Conv2D<8, 3, groups<2>>>> {};
#endif
static_assert(check<net>());
