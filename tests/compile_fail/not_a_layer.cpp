// SPDX-License-Identifier: MIT
// A type that is no layer.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct seventeen {};

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Dense<64>, seventeen>> {};
#else
struct net : model<input<784>, sequential<Dense<64>, Dense<17>>> {};
#endif
static_assert(check<net>());
