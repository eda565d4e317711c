// SPDX-License-Identifier: MIT
// A mode of variance_scaling that there is not.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using start = variance_scaling<2, "fan_average", "uniform">;
#else
using start = variance_scaling<2, "fan_avg", "uniform">;
#endif

struct net : model<input<784>, sequential<Dense<64, relu, init<start>>, Dense<10>>> {};

static_assert(check<net>());
