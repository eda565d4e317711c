// SPDX-License-Identifier: MIT
// Permute counted from 0.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 8>, sequential<Permute<1, 0>>> {};
#else
struct net : model<input<4, 8>, sequential<Permute<2, 1>>> {};
#endif
static_assert(check<net>());
