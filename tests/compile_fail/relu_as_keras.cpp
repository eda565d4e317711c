// SPDX-License-Identifier: MIT
// ReLU as a layer, by the name that Keras and PyTorch have for it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4>, sequential<Dense<3>, ReLU, Dense<2>>> {};
#else
struct net : model<input<4>, sequential<Dense<3>, relu, Dense<2>>> {};
#endif
static_assert(check<net>());
