// SPDX-License-Identifier: MIT
// A norm that no weight has.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4, kernel_constraint<max_norm<0>>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, kernel_constraint<max_norm<2>>>>> {};
#endif
static_assert(check<net>());
