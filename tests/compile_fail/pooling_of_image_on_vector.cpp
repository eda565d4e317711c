// SPDX-License-Identifier: MIT
// A vector reaches the pooling of images.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<MaxPooling2D<>>> {};
#else
struct net : model<input<784>, sequential<Reshape<28, 28, 1>, MaxPooling2D<>>> {};
#endif
static_assert(check<net>());
