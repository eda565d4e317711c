// SPDX-License-Identifier: MIT
// Causal padding of windows.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<9, 4>, sequential<MaxPooling1D<2, causal_padding>>> {};
#else
struct net : model<input<9, 4>, sequential<MaxPooling1D<2, same_padding>>> {};
#endif
static_assert(check<net>());
