// SPDX-License-Identifier: MIT
// RepeatVector of what is no vector.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<4, 8>, sequential<RepeatVector<3>>> {};
#else
struct net : model<input<4, 8>, sequential<Flatten, RepeatVector<3>>> {};
#endif
static_assert(check<net>());
