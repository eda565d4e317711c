// SPDX-License-Identifier: MIT
// A layer at every step of what has none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<12>, sequential<TimeDistributed<Flatten>>> {};
#else
struct net : model<input<5, 4, 3>, sequential<TimeDistributed<Flatten>>> {};
#endif
static_assert(check<net>());
