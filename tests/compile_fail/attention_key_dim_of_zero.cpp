// SPDX-License-Identifier: MIT
// Heads of attention whose keys have no numbers.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 16>, sequential<MultiHeadAttention<2, 0>>> {};
#else
struct net : model<input<4, 16>, sequential<MultiHeadAttention<2, 8>>> {};
#endif
static_assert(check<net>());
