// SPDX-License-Identifier: MIT
// Something else than a penalty.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4, kernel_regularizer<relu>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, kernel_regularizer<l1<0.5F>>>>> {};
#endif
static_assert(check<net>());
