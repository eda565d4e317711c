// SPDX-License-Identifier: MIT
// The GPT of examples/models/ in its four stages.
#include <ipu_dsl/catalogue/zero_bubble.hpp>

#include "../../examples/models/gpt.hpp"
#include "ours/models.hpp"
#include "ours/trained_model.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;
using peers::model_question;

constexpr std::int64_t samples = 2;
constexpr std::int32_t micro_batches = 16;
constexpr std::int32_t steps = 64;
constexpr std::int32_t characters = 65;

struct writer : models::gpt<steps, characters, 128, 4> {};

struct training
    : compile<writer, micro_batch<samples>, gradient_accumulation<micro_batches>, mean_gradients,
              zb_h1, loss<sparse_categorical_crossentropy>, optimizer<adamw>> {};

}  // namespace

peers::model_question gpt_in_stages_question() {
  model_question made;
  made.kind = peers::model_kind::gpt;
  made.samples = samples * micro_batches;
  made.characters = labels_in_turn(made.samples * steps, characters);
  made.labels = made.characters;
  start<training>(made);
  made.multiply_adds *= micro_batches;
  return made;
}

std::unique_ptr<peers::model_contestant> gpt_in_stages(const model_question& question,
                                                       int threads) {
  return std::make_unique<trained_model<training, &model_question::characters>>(
      question, adamw_settings{}, threads);
}

}  // namespace ours
