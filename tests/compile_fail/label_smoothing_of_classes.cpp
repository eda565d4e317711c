// SPDX-License-Identifier: MIT
// label_smoothing beside a loss of classes, which has no targets that could be smoothed.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, sequential<Dense<4>>> {};

#ifdef WITH_MISTAKE
struct training
    : compile<net, micro_batch<8>, loss<sparse_categorical_crossentropy, label_smoothing<0.1F>>> {};
#else
struct training
    : compile<net, micro_batch<8>, loss<categorical_crossentropy, label_smoothing<0.1F>>> {};
#endif
static_assert(check<training>());
