// SPDX-License-Identifier: MIT
// A schedule of pipelines for a model in one stage.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, sequential<Dense<64>, Dense<10>>> {};

#ifdef WITH_MISTAKE
struct training
    : compile<net, interleaved, gradient_accumulation<2>, loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, sequential_schedule, gradient_accumulation<2>,
                          loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
