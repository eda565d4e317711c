// SPDX-License-Identifier: MIT
// An output padding that is no part of a stride.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<9, 9, 3>, Conv2DTranspose<8, 3, strides<2>, output_padding<2>>> {};
#else
struct net : model<input<9, 9, 3>, Conv2DTranspose<8, 3, strides<2>, output_padding<1>>> {};
#endif
static_assert(check<net>());
