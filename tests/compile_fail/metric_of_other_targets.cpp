// SPDX-License-Identifier: MIT
// A metric judges by class labels, the loss by floats.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct regression : model<input<4>, sequential<Dense<8, relu>, Dense<3>>> {};

#ifdef WITH_MISTAKE
using wanted = metrics<accuracy>;
#else
using wanted = metrics<mean_absolute_error>;
#endif

struct training : compile<regression, micro_batch<8>, loss<mean_squared_error>, wanted> {};

static_assert(check<training>());
