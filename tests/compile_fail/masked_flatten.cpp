// SPDX-License-Identifier: MIT
// All words side by side, though some of them are none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using words = Embedding<1000, 8, mask_zero<true>>;
#else
using words = Embedding<1000, 8>;
#endif
struct net : model<input<dtype::int32, 16>, sequential<words, Flatten, Dense<2>>> {};

static_assert(check<net>());
