// SPDX-License-Identifier: MIT
// An option that the layer does not have.
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

using namespace ipu_dsl;

template <int Width>
struct padding {};

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Dense<64, relu, padding<1>>>> {};
#else
struct net : model<input<784>, sequential<Dense<64, relu>>> {};
#endif
static_assert(check<net>());
