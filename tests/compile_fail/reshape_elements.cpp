// SPDX-License-Identifier: MIT
// Reshape to another number of elements.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, sequential<Reshape<28, 29>>> {};
#else
struct net : model<input<784>, sequential<Reshape<28, 28>>> {};
#endif
static_assert(check<net>());
