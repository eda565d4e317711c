// SPDX-License-Identifier: MIT
// An automatic pipeline of one layer instead of a sequence.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<784>, auto_pipeline<Dense<10>, 1>> {};
#else
struct net : model<input<784>, auto_pipeline<sequential<Dense<10>>, 1>> {};
#endif
static_assert(check<net>());
