// SPDX-License-Identifier: MIT
// A loss weighs the positions of a sample, a metric of the same output the samples.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct tagger : model<input<6, 4>, sequential<Dense<8, relu>, Dense<1>>> {};

#ifdef WITH_MISTAKE
using wanted = metrics<metric<mean_absolute_error, sample_weights>>;
#else
using wanted = metrics<metric<mean_absolute_error, position_weights>>;
#endif

struct training
    : compile<tagger, micro_batch<8>, loss<mean_squared_error, position_weights>, wanted> {};

static_assert(check<training>());
