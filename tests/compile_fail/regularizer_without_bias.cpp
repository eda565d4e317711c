// SPDX-License-Identifier: MIT
// A penalty on a bias that there is not.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4, use_bias<false>, bias_regularizer<l2<0.5F>>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, bias_regularizer<l2<0.5F>>>>> {};
#endif
static_assert(check<net>());
