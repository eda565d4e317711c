// SPDX-License-Identifier: MIT
// A penalty without effect.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4, kernel_regularizer<l2<0>>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, kernel_regularizer<l2<0.5F>>>>> {};
#endif
static_assert(check<net>());
