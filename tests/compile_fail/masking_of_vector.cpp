// SPDX-License-Identifier: MIT
// A mask of steps where there are none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<16>, sequential<Masking<0.0F>, LSTM<8>, Dense<2>>> {};
#else
struct net : model<input<16, 4>, sequential<Masking<0.0F>, LSTM<8>, Dense<2>>> {};
#endif
static_assert(check<net>());
