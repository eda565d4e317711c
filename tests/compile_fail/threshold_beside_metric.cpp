// SPDX-License-Identifier: MIT
// An option of a metric, beside it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<1, sigmoid>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, loss<binary_crossentropy>, metrics<precision, threshold<0.7F>>> {};
#else
struct training
    : compile<net, loss<binary_crossentropy>, metrics<metric<precision, threshold<0.7F>>>> {};
#endif
static_assert(check<training>());
