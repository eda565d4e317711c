// SPDX-License-Identifier: MIT
// The best five of three classes.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>>> {};

#ifdef WITH_MISTAKE
using wanted = metrics<sparse_top_k_categorical_accuracy<5>>;
#else
using wanted = metrics<sparse_top_k_categorical_accuracy<2>>;
#endif

struct training : compile<net, micro_batch<8>, loss<sparse_categorical_crossentropy>, wanted> {};

static_assert(check<training>());
