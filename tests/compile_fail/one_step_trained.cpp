// SPDX-License-Identifier: MIT
// A training of a model that carries its states from step to step.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/model/one_step.hpp>

using namespace ipu_dsl;

struct tagger : model<input<28, 4>, sequential<LSTM<8>>> {};

#ifdef WITH_MISTAKE
struct training : compile<one_step<tagger>, micro_batch<1>, loss<sparse_categorical_crossentropy>> {
};
#else
struct training : compile<tagger, micro_batch<1>, loss<sparse_categorical_crossentropy>> {};
#endif
static_assert(check<training>());
