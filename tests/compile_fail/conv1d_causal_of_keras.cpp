// SPDX-License-Identifier: MIT
// Causal padding by the word that Keras has for it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<12, 4>, sequential<Conv1D<8, 3, causal>>> {};
#else
struct net : model<input<12, 4>, sequential<Conv1D<8, 3, causal_padding>>> {};
#endif

static_assert(check<net>());
