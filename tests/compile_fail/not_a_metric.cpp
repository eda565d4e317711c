// SPDX-License-Identifier: MIT
// An activation stands where a metric belongs.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct classifier : model<input<4>, sequential<Dense<8, relu>, Dense<3>>> {};

#ifdef WITH_MISTAKE
using wanted = metrics<relu>;
#else
using wanted = metrics<accuracy>;
#endif

struct training
    : compile<classifier, micro_batch<8>, loss<sparse_categorical_crossentropy>, wanted> {};

static_assert(check<training>());
