// SPDX-License-Identifier: MIT
// ResNet-8 of examples/models/ by this library.
#include "../../examples/models/resnet8.hpp"

#include "ours/models.hpp"
#include "ours/trained_model.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;
using peers::model_question;

constexpr std::int64_t samples = 32;

struct training : compile<models::resnet8, micro_batch<samples>,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

std::unique_ptr<peers::model_contestant> make(const model_question& question) {
  return question.kind == peers::model_kind::resnet8
             ? std::make_unique<trained_model<training, &model_question::numbers>>(question,
                                                                                   descent)
             : nullptr;
}

const peers::model_entry enters(peers::ours, make);

}  // namespace

peers::model_question resnet8_question() {
  model_question made;
  made.kind = peers::model_kind::resnet8;
  made.samples = samples;
  made.numbers = measure::random_numbers(samples * 32 * 32 * 3, 1, 1);
  made.labels = labels_in_turn(samples, 10);
  start<training>(made);
  return made;
}

}  // namespace ours
