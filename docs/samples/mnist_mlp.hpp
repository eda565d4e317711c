// SPDX-License-Identifier: MIT
// The tutorial's model, which the samples of the documents share.
#pragma once

#include <ipu_dsl/ipu_dsl.hpp>

namespace samples {

using namespace ipu_dsl;

// [model]
struct mnist_mlp
    : model<input<28, 28>, pipeline<stage<Flatten, Dense<256, relu>>,
                                    stage<Dense<128, relu>, Dense<64, relu>, Dense<32, relu>,
                                          named<"logits", Dense<10>>>>> {};

// [/model]

// [compile]
template <typename Schedule>
struct training
    : compile<mnist_mlp, micro_batch<32>, gradient_accumulation<4>, Schedule,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

// [/compile]

}  // namespace samples
