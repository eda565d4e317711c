// SPDX-License-Identifier: MIT
// What does the same at every step anyway, at every step of what has none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<12>, sequential<TimeDistributed<Dense<3>>>> {};
#else
struct net : model<input<12>, sequential<Dense<3>>> {};
#endif
static_assert(check<net>());
