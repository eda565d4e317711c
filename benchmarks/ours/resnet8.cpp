// SPDX-License-Identifier: MIT
// ResNet-8 of examples/models/ by this library.
#include "../../examples/models/resnet8.hpp"

#include "ours/classifier.hpp"
#include "ours/models.hpp"

namespace ours {
namespace {

constexpr peers::model_kind kind = peers::model_kind::resnet8;

const peers::model_entry enters(
    peers::ours, make_classifier<models::resnet8, kind, &peers::model_question::numbers>);

}  // namespace

peers::model_question resnet8_question() {
  peers::model_question made = classifier_question<models::resnet8, kind>();
  made.numbers = measure::random_numbers(images * 32 * 32 * 3, 1, 1);
  return made;
}

std::unique_ptr<peers::model_contestant> resnet8_on_one_device(
    const peers::model_question& question, int threads) {
  return std::make_unique<
      trained_model<classifier<models::resnet8>, &peers::model_question::numbers>>(
      question, descent, threads);
}

}  // namespace ours
