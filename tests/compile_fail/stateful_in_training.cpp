// SPDX-License-Identifier: MIT
// Keras's stateful in training: states that go on from one batch to the next.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<GRU<8, stateful<true>>, Dense<2>>> {};
#else
struct net : model<input<28, 28>, sequential<GRU<8, stateful<false>>, Dense<2>>> {};
#endif
struct training : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
