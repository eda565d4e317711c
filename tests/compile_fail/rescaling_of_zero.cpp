// SPDX-License-Identifier: MIT
// A division of integers, which leaves nothing of the numbers.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Rescaling<1 / 255>, Dense<10>>> {};
#else
struct net : model<input<784>, sequential<Rescaling<1.0F / 255>, Dense<10>>> {};
#endif
static_assert(check<net>());
