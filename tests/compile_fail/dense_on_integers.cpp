// SPDX-License-Identifier: MIT
// A layer that multiplies floats stands behind an input of integers.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using features = input<dtype::int32, 16>;
#else
using features = input<16>;
#endif

struct words : model<features, sequential<Dense<8, relu>, Dense<3>>> {};

static_assert(check<words>());
