// SPDX-License-Identifier: MIT
// A constraint of a bias that there is not.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4, use_bias<false>, bias_constraint<non_neg>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, bias_constraint<non_neg>>>> {};
#endif
static_assert(check<net>());
