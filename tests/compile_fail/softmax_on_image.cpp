// SPDX-License-Identifier: MIT
// Softmax of something that is no vector.
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<softmax>> {};
#else
struct net : model<input<28, 28>, sequential<Flatten, softmax>> {};
#endif
static_assert(check<net>());
