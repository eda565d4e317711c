// SPDX-License-Identifier: MIT
// An image reaches Dense without Flatten in between.
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<Dense<256>>> {};
#else
struct net : model<input<28, 28>, sequential<Flatten, Dense<256>>> {};
#endif
static_assert(check<net>());
