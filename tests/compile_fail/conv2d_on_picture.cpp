// SPDX-License-Identifier: MIT
// A picture without channels reaches Conv2D.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<Conv2D<8, 3>>> {};
#else
struct net : model<input<28, 28>, sequential<Reshape<28, 28, 1>, Conv2D<8, 3>>> {};
#endif
static_assert(check<net>());
