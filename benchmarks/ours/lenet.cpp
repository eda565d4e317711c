// SPDX-License-Identifier: MIT
// LeNet-5 of examples/models/ by this library.
#include "../../examples/models/lenet.hpp"

#include "ours/models.hpp"
#include "ours/trained_model.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;
using peers::model_question;

constexpr std::int64_t samples = 32;

struct training : compile<models::lenet, micro_batch<samples>,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

std::unique_ptr<peers::model_contestant> make(const model_question& question) {
  return question.kind == peers::model_kind::lenet
             ? std::make_unique<trained_model<training, &model_question::bytes>>(question, descent)
             : nullptr;
}

const peers::model_entry enters(peers::ours, make);

}  // namespace

peers::model_question lenet_question() {
  model_question made;
  made.kind = peers::model_kind::lenet;
  made.samples = samples;
  for (const float number : measure::random_numbers(samples * 28 * 28, 127, 1)) {
    made.bytes.push_back(static_cast<std::uint8_t>(128 + number));
  }
  made.labels = labels_in_turn(samples, 10);
  start<training>(made);
  return made;
}

}  // namespace ours
