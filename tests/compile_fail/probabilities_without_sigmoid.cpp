// SPDX-License-Identifier: MIT
// A binary cross-entropy of probabilities, where a linear layer makes numbers of any size.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<1>>> {};

#ifdef WITH_MISTAKE
using wanted = loss<binary_crossentropy, from_probabilities>;
#else
using wanted = loss<binary_crossentropy, from_logits>;
#endif

struct training : compile<net, micro_batch<8>, wanted> {};

static_assert(check<training>());
