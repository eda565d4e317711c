// SPDX-License-Identifier: MIT
// An initializer where an option belongs.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<16, 2>, sequential<Conv1D<4, 2, he_normal>, Flatten, Dense<2>>> {};
#else
struct net : model<input<16, 2>, sequential<Conv1D<4, 2, init<he_normal>>, Flatten, Dense<2>>> {};
#endif
static_assert(check<net>());
