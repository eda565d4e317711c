// SPDX-License-Identifier: MIT
// A layer of LSTM units by this library.
#include "ours/models.hpp"
#include "ours/trained_model.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;
using peers::model_question;

constexpr std::int64_t samples = 32;

struct reader : model<input<32, 128>, sequential<LSTM<128>, named<"scores", Dense<10>>>> {};

struct training : compile<reader, micro_batch<samples>, loss<sparse_categorical_crossentropy>,
                          optimizer<sgd<momentum>>> {};

std::unique_ptr<peers::model_contestant> make(const model_question& question) {
  return question.kind == peers::model_kind::lstm
             ? std::make_unique<trained_model<training, &model_question::numbers>>(question,
                                                                                   descent)
             : nullptr;
}

const peers::model_entry enters(peers::ours, make);

}  // namespace

peers::model_question lstm_question() {
  model_question made;
  made.kind = peers::model_kind::lstm;
  made.samples = samples;
  made.numbers = measure::random_numbers(samples * 32 * 128, 1, 1);
  made.labels = labels_in_turn(samples, 10);
  start<training>(made);
  return made;
}

}  // namespace ours
