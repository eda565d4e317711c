// SPDX-License-Identifier: MIT
// A model whose session is compiled in session_elsewhere_code.cpp.
#pragma once

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

namespace ipu_dsl::tests {

struct compiled_elsewhere_model : model<input<8>, sequential<Dense<16, relu>, Dense<3>>> {};

struct compiled_elsewhere
    : compile<compiled_elsewhere_model, micro_batch<8>, gradient_accumulation<2>,
              loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// The same under a name of its own, compiled where it is used.
struct compiled_here : compile<compiled_elsewhere_model, micro_batch<8>, gradient_accumulation<2>,
                               loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

}  // namespace ipu_dsl::tests

extern template struct ipu_dsl::session_code<ipu_dsl::tests::compiled_elsewhere>;
