// SPDX-License-Identifier: MIT
// An option of the layer beside it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<16, 2>, sequential<TimeDistributed<Dense<4>, relu>, LSTM<2>>> {};
#else
struct net : model<input<16, 2>, sequential<TimeDistributed<Dense<4, relu>>, LSTM<2>>> {};
#endif
static_assert(check<net>());
