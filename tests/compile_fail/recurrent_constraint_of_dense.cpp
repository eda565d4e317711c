// SPDX-License-Identifier: MIT
// A constraint of a kernel that the layer does not have.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4, recurrent_constraint<non_neg>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, kernel_constraint<non_neg>>>> {};
#endif
static_assert(check<net>());
