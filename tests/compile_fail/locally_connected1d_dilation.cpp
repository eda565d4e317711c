// SPDX-License-Identifier: MIT
// An option that other layers with windows have.
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/locally_connected1d.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<12, 4>, sequential<LocallyConnected1D<8, 3, dilation_rate<2>>>> {};
#else
struct net : model<input<12, 4>, sequential<LocallyConnected1D<8, 3, strides<2>>>> {};
#endif
static_assert(check<net>());
