// SPDX-License-Identifier: MIT
// An activation where a constraint belongs.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4, kernel_constraint<relu>>>> {};
#else
struct net : model<input<8>, sequential<Dense<4, kernel_constraint<unit_norm>>>> {};
#endif
static_assert(check<net>());
