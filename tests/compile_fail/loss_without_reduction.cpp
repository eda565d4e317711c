// SPDX-License-Identifier: MIT
// Keras's Reduction.NONE: a loss for each sample, of which there is no gradient.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

#ifdef WITH_MISTAKE
using wanted = loss<mean_squared_error, reduction<"none">>;
#else
using wanted = loss<mean_squared_error, reduction<"sum">>;
#endif

struct training : compile<net, micro_batch<8>, wanted> {};

static_assert(check<training>());
