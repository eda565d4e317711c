// SPDX-License-Identifier: MIT
// Branches that cannot stand side by side.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<concat<Flatten, Reshape<14, 56>>>> {};
#else
struct net : model<input<28, 28>, sequential<concat<Reshape<28, 28>, Reshape<28, 28>>>> {};
#endif
static_assert(check<net>());
