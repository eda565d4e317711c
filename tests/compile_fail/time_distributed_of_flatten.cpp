// SPDX-License-Identifier: MIT
// A layer that cannot be had at every step yet.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<5, 4, 3>, sequential<TimeDistributed<Flatten>>> {};
#else
struct net : model<input<5, 12>, sequential<TimeDistributed<Dense<4>>>> {};
#endif
static_assert(check<net>());
