// SPDX-License-Identifier: MIT
// An input without elements.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 0>, sequential<Reshape<784>>> {};
#else
struct net : model<input<28, 28>, sequential<Reshape<784>>> {};
#endif
static_assert(check<net>());
