// SPDX-License-Identifier: MIT
// A layer that has no direction, read both ways.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<Bidirectional<Dense<8>>>> {};
#else
struct net : model<input<28, 28>, sequential<Bidirectional<LSTM<8>>>> {};
#endif
static_assert(check<net>());
