// SPDX-License-Identifier: MIT
// The training step by this library on one worker.
#include "ours/network.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;

template <int MicroBatches>
struct training : compile<mlp, micro_batch<32>, gradient_accumulation<MicroBatches>, mean_gradients,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

struct adam_training
    : compile<mlp, micro_batch<32>, loss<sparse_categorical_crossentropy>, optimizer<adam>> {};

std::unique_ptr<peers::step_contestant> make_adam(const peers::adam_question& question) {
  const bool single = question.network.micro_batch == 32 && question.network.micro_batches == 1;
  return single
             ? std::make_unique<session_step<adam_training>>(question.network, 1, adam_settings{})
             : nullptr;
}

std::unique_ptr<peers::step_contestant> make(const peers::network_question& question) {
  if (question.micro_batch != 32) {
    return nullptr;
  }
  switch (question.micro_batches) {
    case 1:
      return std::make_unique<session_step<training<1>>>(question, 1);
    case 4:
      return std::make_unique<session_step<training<4>>>(question, 1);
    default:
      return nullptr;
  }
}

const peers::step_entry enters(peers::ours, make);
const peers::adam_entry adam_enters(peers::ours, make_adam);

}  // namespace
}  // namespace ours
