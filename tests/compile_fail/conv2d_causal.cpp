// SPDX-License-Identifier: MIT
// Causal padding of an image.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<9, 9, 1>, sequential<Conv2D<8, 3, causal_padding>>> {};
#else
struct net : model<input<9, 9, 1>, sequential<Conv2D<8, 3, same_padding>>> {};
#endif
static_assert(check<net>());
