// SPDX-License-Identifier: MIT
// Several layers where one is frozen.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<frozen<Dense<4, relu>, Dense<4>>, Dense<3>>> {};
#else
struct net : model<input<8>, sequential<frozen<sequential<Dense<4, relu>, Dense<4>>>, Dense<3>>> {};
#endif
static_assert(check<net>());
