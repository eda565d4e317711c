// SPDX-License-Identifier: MIT
// Three outputs where one tensor goes on.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<LSTM<8, return_state<true>>>> {};
#else
struct net : model<input<28, 28>, sequential<LSTM<8>>> {};
#endif
static_assert(check<net>());
