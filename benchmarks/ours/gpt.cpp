// SPDX-License-Identifier: MIT
// The GPT of examples/models/ by this library.
#include "../../examples/models/gpt.hpp"

#include "ours/models.hpp"
#include "ours/trained_model.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;
using peers::model_question;

constexpr std::int64_t samples = 8;
constexpr std::int32_t steps = 64;
constexpr std::int32_t characters = 65;

struct writer : models::gpt_on_one_device<steps, characters, 128, 4> {};

struct training : compile<writer, micro_batch<samples>, loss<sparse_categorical_crossentropy>,
                          optimizer<adamw>> {};

std::unique_ptr<peers::model_contestant> make(const model_question& question) {
  return question.kind == peers::model_kind::gpt ? gpt_on_one_device(question, 1) : nullptr;
}

const peers::model_entry enters(peers::ours, make);

}  // namespace

peers::model_question gpt_question() {
  model_question made;
  made.kind = peers::model_kind::gpt;
  made.samples = samples;
  made.characters = labels_in_turn(samples * steps, characters);
  made.labels = made.characters;
  start<training>(made);
  return made;
}

std::unique_ptr<peers::model_contestant> gpt_on_one_device(const model_question& question,
                                                           int threads) {
  return std::make_unique<trained_model<training, &model_question::characters>>(
      question, adamw_settings{}, threads);
}

}  // namespace ours
