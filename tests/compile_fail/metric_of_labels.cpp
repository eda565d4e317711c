// SPDX-License-Identifier: MIT
// A metric of labels beside a loss of floats.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<7>>> {};

#ifdef WITH_MISTAKE
using wanted = metrics<sparse_top_k_categorical_accuracy<5>>;
#else
using wanted = metrics<top_k_categorical_accuracy<5>>;
#endif

struct training : compile<net, micro_batch<8>, loss<categorical_crossentropy>, wanted> {};

static_assert(check<training>());
