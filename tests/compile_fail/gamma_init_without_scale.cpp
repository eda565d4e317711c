// SPDX-License-Identifier: MIT
// How a gamma starts, beside an option that takes it away.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<LayerNormalization<use_scale<false>, gamma_init<zeros>>>> {
};
#else
struct net : model<input<8>, sequential<LayerNormalization<gamma_init<zeros>>>> {};
#endif
static_assert(check<net>());
