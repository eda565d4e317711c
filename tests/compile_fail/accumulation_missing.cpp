// SPDX-License-Identifier: MIT
// Training in a pipeline without saying how many micro-batches make an update.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, grouped, loss<sparse_categorical_crossentropy>> {};
#else
struct training
    : compile<net, grouped, gradient_accumulation<4>, loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
