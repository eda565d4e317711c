// SPDX-License-Identifier: MIT
// An area under a curve whose thresholds are probabilities, of logits.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<1>>> {};

#ifdef WITH_MISTAKE
using wanted = metrics<auc>;
#else
using wanted = metrics<metric<binary_accuracy, threshold<0.0F>>>;
#endif

struct training : compile<net, micro_batch<8>, loss<binary_crossentropy>, wanted> {};

static_assert(check<training>());
