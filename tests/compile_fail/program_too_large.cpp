// SPDX-License-Identifier: MIT
// More micro-batches than a compiler proves without a flag.
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, pipeline<stage<Dense<8>>, stage<Dense<3>>>> {};

#ifdef WITH_MISTAKE
struct training : compile<net, one_f_one_b, micro_batch<4>, gradient_accumulation<16'384>,
                          loss<sparse_categorical_crossentropy>> {};
#else
struct training : compile<net, one_f_one_b, micro_batch<4>, gradient_accumulation<16>,
                          loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
