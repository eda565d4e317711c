// SPDX-License-Identifier: MIT
// Keras's stateful in prediction, where steps are pushed one by one here.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/model/one_step.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<28, 28>, sequential<LSTM<8, stateful<true>>, Dense<2>>> {};
#else
struct net : model<input<28, 28>, sequential<LSTM<8>, Dense<2>>> {};
#endif

static_assert(check<one_step<net>>());
