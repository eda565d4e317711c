// SPDX-License-Identifier: MIT
// Same padding, of which a layer with weights for each window has none.
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/locally_connected1d.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<12, 4>, sequential<LocallyConnected1D<8, 3, same_padding>>> {};
#else
struct net : model<input<12, 4>, sequential<LocallyConnected1D<8, 3>>> {};
#endif
static_assert(check<net>());
