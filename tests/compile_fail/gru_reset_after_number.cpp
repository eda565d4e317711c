// SPDX-License-Identifier: MIT
// A fraction for a truth value.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<GRU<8, reset_after<0.5F>>>> {};
#else
struct net : model<input<28, 28>, sequential<GRU<8, reset_after<true>>>> {};
#endif
static_assert(check<net>());
