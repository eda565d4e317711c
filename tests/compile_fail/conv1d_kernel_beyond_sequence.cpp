// SPDX-License-Identifier: MIT
// A kernel that with its holes is longer than the sequence.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<16, 2>, sequential<Conv1D<8, 3, dilation_rate<8>>>> {};
#else
struct net : model<input<16, 2>, sequential<Conv1D<8, 3, dilation_rate<8>, causal_padding>>> {};
#endif
static_assert(check<net>());
