// SPDX-License-Identifier: MIT
// Sparse cross-entropy of one unit: its softmax is 1 whatever it learns.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using scores = Dense<1>;
#else
using scores = Dense<2>;
#endif

struct net : model<input<784>, sequential<Dense<64, relu>, scores>> {};

struct training : compile<net, micro_batch<32>, loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
