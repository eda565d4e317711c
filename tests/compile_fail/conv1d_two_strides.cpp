// SPDX-License-Identifier: MIT
// Two strides of a sequence.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<16, 2>, sequential<Conv1D<4, 2, strides<2, 2>>, LSTM<2>>> {};
#else
struct net : model<input<16, 2>, sequential<Conv1D<4, 2, strides<2>>, LSTM<2>>> {};
#endif
static_assert(check<net>());
