// SPDX-License-Identifier: MIT
// Gates whose activation is none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<LSTM<8, recurrent_activation<zeros>>>> {};
#else
struct net : model<input<28, 28>, sequential<LSTM<8, recurrent_activation<sigmoid>>>> {};
#endif
static_assert(check<net>());
