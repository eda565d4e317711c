// SPDX-License-Identifier: MIT
// Two activations of one layer.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Dense<64, relu, use_bias<false>, sigmoid>>> {};
#else
struct net : model<input<784>, sequential<Dense<64, use_bias<false>, sigmoid>>> {};
#endif
static_assert(check<net>());
