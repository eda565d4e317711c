// SPDX-License-Identifier: MIT
// Two sizes of a micro-batch.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<784>, pipeline<stage<Dense<64>>, stage<Dense<10>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, micro_batch<32>, gradient_accumulation<4>,
                          loss<sparse_categorical_crossentropy>, micro_batch<16>> {};
#else
struct training : compile<net, micro_batch<32>, gradient_accumulation<4>,
                          loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
