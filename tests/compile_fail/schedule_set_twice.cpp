// SPDX-License-Identifier: MIT
// Two schedules of one compilation.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, grouped, gradient_accumulation<4>, interleaved,
                          loss<sparse_categorical_crossentropy>> {};
#else
struct training
    : compile<net, gradient_accumulation<4>, interleaved, loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
