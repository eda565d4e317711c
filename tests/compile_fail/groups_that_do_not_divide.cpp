// SPDX-License-Identifier: MIT
// Groups of channels of which one would be smaller than the others.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8, 8, 6>, sequential<GroupNormalization<4>>> {};
#else
struct net : model<input<8, 8, 6>, sequential<GroupNormalization<3>>> {};
#endif
static_assert(check<net>());
