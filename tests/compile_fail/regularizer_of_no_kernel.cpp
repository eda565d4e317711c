// SPDX-License-Identifier: MIT
// A penalty on the kernel of a layer without one.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4>, Dropout<0.5F, kernel_regularizer<l2<0.5F>>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, kernel_regularizer<l2<0.5F>>>, Dropout<0.5F>>> {};
#endif
static_assert(check<net>());
