// SPDX-License-Identifier: MIT
// A layer that is to be told which keys there are, and is not.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 6>, sequential<MultiHeadAttention<2, 3, use_attention_mask<true>>>> {};
#else
struct net : model<input<4, 6>, sequential<MultiHeadAttention<2, 3, use_causal_mask<true>>>> {};
#endif
static_assert(check<net>());
