// SPDX-License-Identifier: MIT
// A picture without channels reaches the pooling of images: is it a sequence?
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<MaxPooling2D<>>> {};
#else
struct net : model<input<28, 28>, sequential<Reshape<28, 28, 1>, MaxPooling2D<>>> {};
#endif
static_assert(check<net>());
