// SPDX-License-Identifier: MIT
// A kernel of more steps than the sequence has.
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/locally_connected1d.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<12, 4>, sequential<LocallyConnected1D<8, 13>>> {};
#else
struct net : model<input<12, 4>, sequential<LocallyConnected1D<8, 12>>> {};
#endif
static_assert(check<net>());
