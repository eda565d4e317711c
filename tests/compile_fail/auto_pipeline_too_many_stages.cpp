// SPDX-License-Identifier: MIT
// An automatic pipeline of more stages than layers.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, auto_pipeline<sequential<Dense<64>, Dense<32>, Dense<10>>, 4>> {};
#else
struct net : model<input<784>, auto_pipeline<sequential<Dense<64>, Dense<32>, Dense<10>>, 3>> {};
#endif
static_assert(check<net>());
