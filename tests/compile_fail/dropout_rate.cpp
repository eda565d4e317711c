// SPDX-License-Identifier: MIT
// A rate that leaves nothing.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Dense<64>, Dropout<1.5F>>> {};
#else
struct net : model<input<784>, sequential<Dense<64>, Dropout<0.5F>>> {};
#endif
static_assert(check<net>());
