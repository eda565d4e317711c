// SPDX-License-Identifier: MIT
// Something that is no layer is frozen.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<frozen<use_bias<false>>, Dense<3>>> {};
#else
struct net : model<input<8>, sequential<frozen<Dense<4, use_bias<false>>>, Dense<3>>> {};
#endif
static_assert(check<net>());
