// SPDX-License-Identifier: MIT
// A padding beside the options of an LSTM.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<LSTM<8, same_padding>>> {};
#else
struct net : model<input<28, 28>, sequential<LSTM<8>>> {};
#endif
static_assert(check<net>());
