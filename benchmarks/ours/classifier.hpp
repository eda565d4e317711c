// SPDX-License-Identifier: MIT
// Classifiers of images of examples/models/ by this library.
#pragma once

#include <cstdint>
#include <memory>

#include "ours/trained_model.hpp"

namespace ours {

/// In a micro-batch, which is an update.
inline constexpr std::int64_t images = 32;

template <typename Model>
struct classifier : ipu_dsl::compile<Model, ipu_dsl::micro_batch<images>,
                                     ipu_dsl::loss<ipu_dsl::sparse_categorical_crossentropy>,
                                     ipu_dsl::optimizer<ipu_dsl::sgd<ipu_dsl::momentum>>> {};

/// Who answers questions of this kind, null for others. `Features` names those that the model
/// reads.
template <typename Model, peers::model_kind Kind, auto Features>
std::unique_ptr<peers::model_contestant> make_classifier(const peers::model_question& question) {
  return question.kind == Kind
             ? std::make_unique<trained_model<classifier<Model>, Features>>(question, descent)
             : nullptr;
}

/// A question of ten classes, but for its features.
template <typename Model, peers::model_kind Kind>
peers::model_question classifier_question() {
  peers::model_question made;
  made.kind = Kind;
  made.samples = images;
  made.labels = labels_in_turn(images, 10);
  start<classifier<Model>>(made);
  return made;
}

}  // namespace ours
