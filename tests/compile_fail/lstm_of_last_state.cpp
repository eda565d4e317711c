// SPDX-License-Identifier: MIT
// A recurrent layer behind one that hands over its last state alone.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<LSTM<8>, LSTM<4>>> {};
#else
struct net : model<input<28, 28>, sequential<LSTM<8, return_sequences<true>>, LSTM<4>>> {};
#endif
static_assert(check<net>());
