// SPDX-License-Identifier: MIT
// The code of a stage that the model does not have.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct training : compile<net, micro_batch<4>, gradient_accumulation<4>, grouped,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<>>> {};

template struct ipu_dsl::stage_code<training, 1>;
#ifdef WITH_MISTAKE
template struct ipu_dsl::stage_code<training, 2>;
#endif
