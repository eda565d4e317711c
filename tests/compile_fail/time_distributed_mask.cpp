// SPDX-License-Identifier: MIT
// A mask of each step's own steps, of which nobody outside knows.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net
    : model<input<4, 6, 3>, sequential<TimeDistributed<sequential<Conv1D<5, 3>, Masking<>>>>> {};
#else
struct net : model<input<4, 6, 3>, sequential<TimeDistributed<sequential<Masking<>, GRU<5>>>>> {};
#endif
static_assert(check<net>());
