// SPDX-License-Identifier: MIT
// A layer that computes nothing.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Dense<64, relu>, Dense<0>>> {};
#else
struct net : model<input<784>, sequential<Dense<64, relu>, Dense<1>>> {};
#endif
static_assert(check<net>());
