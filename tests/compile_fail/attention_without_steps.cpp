// SPDX-License-Identifier: MIT
// Attention to the numbers of a vector, which has no steps.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<16>, sequential<MultiHeadAttention<2, 8>>> {};
#else
struct net : model<input<4, 16>, sequential<MultiHeadAttention<2, 8>>> {};
#endif
static_assert(check<net>());
