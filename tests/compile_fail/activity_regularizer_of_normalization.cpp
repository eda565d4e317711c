// SPDX-License-Identifier: MIT
// A penalty on the output of a layer that takes none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<BatchNormalization<activity_regularizer<l2<0.5F>>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, activity_regularizer<l2<0.5F>>>>> {};
#endif
static_assert(check<net>());
