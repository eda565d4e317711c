// SPDX-License-Identifier: MIT
// LeNet-5 of examples/models/ by this library.
#include "../../examples/models/lenet.hpp"

#include "ours/classifier.hpp"
#include "ours/models.hpp"

namespace ours {
namespace {

constexpr peers::model_kind kind = peers::model_kind::lenet;

const peers::model_entry enters(
    peers::ours, make_classifier<models::lenet, kind, &peers::model_question::bytes>);

}  // namespace

peers::model_question lenet_question() {
  peers::model_question made = classifier_question<models::lenet, kind>();
  for (const float number : measure::random_numbers(images * 28 * 28, 127, 1)) {
    made.bytes.push_back(static_cast<std::uint8_t>(128 + number));
  }
  return made;
}

}  // namespace ours
