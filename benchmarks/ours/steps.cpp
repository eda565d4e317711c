// SPDX-License-Identifier: MIT
// The training step by this library on one worker.
#include "ours/network.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;

template <int MicroBatches>
struct training : compile<mlp, micro_batch<32>, gradient_accumulation<MicroBatches>, mean_gradients,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

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

}  // namespace
}  // namespace ours
