// SPDX-License-Identifier: MIT
// What a program instantiates whose session is compiled in another source: neither plan nor code.
#include <ipu_dsl/interface.hpp>

using namespace ipu_dsl;

struct mlp : model<input<8>, pipeline<stage<Dense<16, relu>>, stage<Dense<4>>>> {};

struct training
    : compile<mlp, micro_batch<8>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

extern template struct ipu_dsl::session_code<training>;

double trained_loss(std::span<const float> features, std::span<const std::int32_t> labels) {
  session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}};
  return run.train_step(features, labels);
}
