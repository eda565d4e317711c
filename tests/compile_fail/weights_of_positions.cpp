// SPDX-License-Identifier: MIT
// Weights of positions, where a sample has none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<1>>> {};

#ifdef WITH_MISTAKE
using wanted = loss<mean_squared_error, position_weights>;
#else
using wanted = loss<mean_squared_error, sample_weights>;
#endif

struct training : compile<regression, micro_batch<8>, wanted> {};

static_assert(check<training>());
