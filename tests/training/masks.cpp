// SPDX-License-Identifier: MIT
// Masks in training: recurrent layers pass over steps that are none, forward and back, against a
// float64 reference; losses and metrics of each step leave them out; and the same bits under every
// schedule, on any number of workers, for any size of a micro-batch and tile by tile.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/data/zipped_dataset.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/check_tiles.hpp>

#include "support/catch2.hpp"
#include "training/recurrent_reference.hpp"

using namespace ipu_dsl;
using tests::check_recurrent;
using tests::recurrent_kind;
using tests::recurrent_step_of;

namespace {

/// All states from the last step on, and what is left behind the last step that is there.
struct left_behind_masks {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.layer<Masking<>>("", build.input({5, 3}));
    const symbolic_tensor back =
        build.layer<SimpleRNN<3, return_sequences<true>, go_backwards<true>>>("", x);
    const auto [last, state, cell] =
        build.layers<LSTM<2, return_state<true>, go_backwards<true>>, 3>("", back);
    return build.layer<Dense<3>>("", build.layer<Concatenate>("", last, state, cell));
  }
};

/// From where a layer that reads all steps has ended, those that pass over masked ones: all that is
/// left behind, from the last step on, from the first.
struct others_go_on {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const auto [end, h, c] = build.layers<LSTM<2, return_state<true>>, 3>("", x);
    const symbolic_tensor masked = build.layer<Masking<>>("", x);
    const auto [last, state, cell] =
        build.layers<LSTM<2, return_state<true>, go_backwards<true>>, 3>("", masked, h, c);
    const auto [only, left] = build.layers<GRU<2, return_state<true>>, 2>("", masked, h);
    const symbolic_tensor simple = build.layer<SimpleRNN<2>>("", masked, end);
    return build.layer<Dense<3>>(
        "", build.layer<Concatenate>("", last, state, cell, only, left, simple));
  }
};

/// All states from where another has ended, by layers that read them all.
struct all_go_on {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const symbolic_tensor h = build.layer<SimpleRNN<2>>("", x);
    const symbolic_tensor masked = build.layer<Masking<>>("", x);
    const symbolic_tensor back =
        build.layer<GRU<2, reset_after<false>, return_sequences<true>, go_backwards<true>>>(
            "", masked, h);
    return build.layer<Dense<3>>("", build.layer<SimpleRNN<3>>("", back));
  }
};

struct both_ways
    : model<input<5, 3>, sequential<Masking<>, Bidirectional<GRU<2, return_sequences<true>>>,
                                    GRU<2, reset_after<false>>, Dense<3>>> {};

struct side_by_side
    : model<input<5, 3>,
            sequential<Masking<>, concat<Bidirectional<LSTM<2, return_sequences<true>>>,
                                         LSTM<2, return_sequences<true>>>>> {};

constexpr std::int32_t words = 7;
constexpr std::size_t steps = 5;
constexpr std::size_t samples = 8;

/// A class for each word, by the words around it.
struct tagger : model<input<dtype::int32, 5>,
                      sequential<Embedding<7, 3, mask_zero<true>>, GRU<4, return_sequences<true>>,
                                 Bidirectional<LSTM<3, return_sequences<true>>>,
                                 SimpleRNN<4, return_sequences<true>>, Dense<3>>> {};

struct staged_tagger
    : model<input<dtype::int32, 5>,
            pipeline<stage<Embedding<7, 3, mask_zero<true>>, GRU<4, return_sequences<true>>>,
                     stage<Bidirectional<LSTM<3, return_sequences<true>>>,
                           SimpleRNN<4, return_sequences<true>>, Dense<3>>>> {};

/// The mask is made of the rows of a table, of which that of word 0 is zeros.
struct masked_rows : model<input<dtype::int32, 5>,
                           sequential<Embedding<7, 3>, Masking<>, GRU<4, return_sequences<true>>,
                                      Bidirectional<LSTM<3, return_sequences<true>>>,
                                      SimpleRNN<4, return_sequences<true>>, Dense<3>>> {};

/// Of drawn words: a mask of what a relu leaves nothing of, and what is left behind it.
struct left_behind_words {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor rows = build.layer<Embedding<7, 3>>("", build.input({5}, dtype::int32));
    const symbolic_tensor x = build.layer<Masking<>>("", build.layer<Dense<2, relu>>("", rows));
    const symbolic_tensor back =
        build.layer<LSTM<3, return_sequences<true>, go_backwards<true>>>("", x);
    const auto [last, state, cell] = build.layers<LSTM<2, return_state<true>>, 3>("", back);
    const auto [only, left] =
        build.layers<GRU<2, reset_after<false>, return_state<true>, go_backwards<true>>, 2>("", x);
    const symbolic_tensor other = build.layer<Masking<>>("", build.layer<Dense<2, relu>>("", rows));
    const symbolic_tensor both = build.layer<Add>("", x, other);
    const symbolic_tensor mean =
        build.layer<GlobalAveragePooling1D>("", build.layer<ConcatenateOn<1>>("", both, x));
    const symbolic_tensor all =
        build.layer<GRU<2, return_sequences<true>, go_backwards<true>>>("", x, left);
    const auto [end, behind, kept] =
        build.layers<LSTM<2, return_state<true>>, 3>("", all, state, cell);
    return build.layer<Dense<3>>(
        "", build.layer<Concatenate>("", last, only, left, mean, end, behind, kept));
  }
};

/// Steps of zeros are none in one way, in the other steps of ones are none as well: the mean of
/// what is there by both and, behind it, of what is there by the first.
struct joined_masks {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const symbolic_tensor first = build.layer<Masking<>>("", x);
    const symbolic_tensor second = build.layer<Masking<1>>("", x);
    const symbolic_tensor product = build.layer<Multiply>("", build.layer<Dense<4>>("", first),
                                                          build.layer<Dense<4>>("", second));
    const symbolic_tensor alone = build.layer<Dense<4>>("", first);
    const symbolic_tensor all = build.layer<ConcatenateOn<1>>("", product, alone);
    return build.layer<Dense<3>>("", build.layer<GlobalAveragePooling1D>("", all));
  }
};

template <typename Model, typename Schedule = sequential_schedule, int Samples = 4>
struct tagging
    : compile<Model, Schedule, micro_batch<Samples>,
              gradient_accumulation<static_cast<int>(samples) / Samples>, mean_gradients,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<>>> {};

/// Word 0, which is none, at the ends, at the beginnings and in between; one sample of nothing
/// else.
std::vector<std::int32_t> drawn_words() {
  std::vector<std::int32_t> made;
  for (std::size_t i = 0; i < samples * steps; ++i) {
    const std::size_t sample = i / steps;
    const bool none =
        sample == 5 || (sample % 2 == 1 && i % steps > sample / 2) || random_word(5, 0, i) % 4 == 0;
    made.push_back(none ? 0 : 1 + static_cast<std::int32_t>(random_word(7, 0, i) % (words - 1)));
  }
  return made;
}

std::vector<std::int32_t> drawn_classes() {
  return reference::labels(samples * steps, 13, 3);
}

template <typename Compiled>
void set_weights(session<Compiled>& run) {
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    const auto count = static_cast<std::size_t>(run.weights().at(i).extents.elements());
    std::vector<float> values = reference::numbers(count, 31 + i, 0.6F);
    for (std::size_t n = 0; i == 0 && n < 3; ++n) {
      values[n] = 0.0F;
    }
    run.weights().set(i, values);
  }
}

template <typename Compiled>
std::uint64_t weights_after(int updates, int threads) {
  session<Compiled> run({.learning_rate = 0.5F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  set_weights(run);
  for (int i = 0; i < updates; ++i) {
    run.train_step(drawn_words(), drawn_classes());
  }
  return run.weights().fingerprint();
}

/// The mean over all steps of what those that are there lose, and the share of them that is right.
struct judged {
  double loss = 0;
  double right = 0;
};

judged judge(const std::vector<float>& scores) {
  judged found;
  double there = 0;
  const std::vector<std::int32_t> given = drawn_words();
  const std::vector<std::int32_t> classes = drawn_classes();
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == 0) {
      continue;
    }
    const float* const of = &scores[3 * i];
    double sum = 0;
    std::int32_t best = 0;
    for (std::int32_t n = 0; n < 3; ++n) {
      sum += std::exp(static_cast<double>(of[n]));
      best = of[n] > of[best] ? n : best;
    }
    found.loss += std::log(sum) - static_cast<double>(of[classes[i]]);
    found.right += best == classes[i] ? 1 : 0;
    ++there;
  }
  REQUIRE(there > 10);
  REQUIRE(there < samples * steps - 10);
  return {found.loss / (samples * steps), found.right / there};
}

/// Kernels and biases of `joined_masks`, in float64.
using dense_weights = std::vector<std::vector<double>>;

double dense_of(const dense_weights& weights, std::size_t layer, const double* x,
                std::size_t inputs, std::size_t units, std::size_t unit) {
  double sum = weights[2 * layer + 1][unit];
  for (std::size_t k = 0; k < inputs; ++k) {
    sum += x[k] * weights[2 * layer][k * units + unit];
  }
  return sum;
}

bool all_are(const double* step, double value) {
  return step[0] == value && step[1] == value && step[2] == value;
}

/// The mean loss of all samples, by definition. Samples without a step have a mean of zeros.
double loss_of_joined_masks(const dense_weights& weights, const std::vector<double>& given,
                            const std::vector<std::int32_t>& labels) {
  double total = 0;
  for (std::size_t sample = 0; sample < labels.size(); ++sample) {
    double mean[4] = {};
    double there = 0;
    for (std::size_t t = 0; t < steps; ++t) {
      const double* const x = &given[(sample * steps + t) * 3];
      const bool first = !all_are(x, 0);
      const bool both = first && !all_are(x, 1);
      there += (first ? 1 : 0) + (both ? 1 : 0);
      for (std::size_t n = 0; first && n < 4; ++n) {
        mean[n] += dense_of(weights, 2, x, 3, 4, n);
        mean[n] += both ? dense_of(weights, 0, x, 3, 4, n) * dense_of(weights, 1, x, 3, 4, n) : 0;
      }
    }
    double sum = 0;
    double scores[3] = {};
    for (double& each : mean) {
      each = there > 0 ? each / there : 0;
    }
    for (std::size_t n = 0; n < 3; ++n) {
      scores[n] = dense_of(weights, 3, mean, 4, 3, n);
      sum += std::exp(scores[n]);
    }
    total += std::log(sum) - scores[static_cast<std::size_t>(labels[sample])];
  }
  return total / static_cast<double>(labels.size());
}

/// Steps of zeros and steps of ones among others; of the last sample all are zeros.
std::vector<float> zeros_and_ones() {
  std::vector<float> given =
      reference::numbers(tests::sequence_samples * steps * tests::sequence_features, 11, 1.5F);
  tests::clear_masked(given);
  for (const std::size_t step : {1U, 3U, 5U, 11U}) {
    std::fill_n(given.begin() + static_cast<std::ptrdiff_t>(3 * step), 3, 1.0F);
  }
  return given;
}

}  // namespace

TEST_CASE("gradients of means over the steps that are there by masks which layers have joined") {
  session<tests::recurrent_step_of<joined_masks>> run{{.learning_rate = tests::gradient_rate}};
  dense_weights weights;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    const auto count = static_cast<std::size_t>(run.weights().at(i).extents.elements());
    const std::vector<float> values = reference::numbers(count, 71 + i, 0.6F);
    run.weights().set(i, values);
    weights.emplace_back(values.begin(), values.end());
  }
  const std::vector<float> features = zeros_and_ones();
  const std::vector<double> given(features.begin(), features.end());
  const std::vector<std::int32_t> labels = reference::labels(tests::sequence_samples, 13, 3);
  CHECK(run.train_step(features, labels) ==
        Approx(loss_of_joined_masks(weights, given, labels)).epsilon(1e-6));
  int compared = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    INFO(run.weights().name(i));
    std::vector<float> after(weights[i].size());
    run.weights().get(i, after);
    for (std::size_t j = 0; j < after.size(); ++j) {
      const double kept = weights[i][j];
      constexpr double step = 0x1p-17;
      weights[i][j] = kept + step;
      const double above = loss_of_joined_masks(weights, given, labels);
      weights[i][j] = kept - step;
      const double below = loss_of_joined_masks(weights, given, labels);
      weights[i][j] = kept;
      const double got =
          (kept - static_cast<double>(after[j])) / static_cast<double>(tests::gradient_rate);
      CHECK(std::abs(got - (above - below) / (2 * step)) <= 2e-6);
      compared += std::abs(got) > 1e-3 ? 1 : 0;
    }
  }
  CHECK(compared > 50);
  std::printf("gradients of joined masks: compared %d elements\n", compared);
}

TEST_CASE("gradients of an LSTM with its state and its cell that passes over masked steps") {
  check_recurrent<recurrent_step_of<left_behind_masks>>(
      "masked layers",
      {{{recurrent_kind::simple, 3, 3, true, tests::tanh_of, true, true},
        {recurrent_kind::lstm, 3, 2, true, tests::tanh_of, false, true, false, true}},
       0.5F,
       true});
}

TEST_CASE("gradients of layers that pass over masked steps from where another has ended") {
  constexpr auto f = tests::tanh_of;
  check_recurrent<recurrent_step_of<others_go_on>>(
      "masked layers with an initial state",
      {{{recurrent_kind::lstm, 3, 2, true, f, false, false, false, false, false, true},
        {recurrent_kind::lstm, 3, 2, true, f, false, true, false, true, true},
        {recurrent_kind::gru, 3, 2, true, f, false, false, false, true, true},
        {recurrent_kind::simple, 3, 2, true, f, false, false, false, false, true}},
       0.3F,
       true});
  check_recurrent<recurrent_step_of<all_go_on>>(
      "masked layers of all states with an initial state",
      {{{recurrent_kind::simple, 3, 2, true, f, false, false, false, false, false, true},
        {recurrent_kind::gru_reset_first, 3, 2, true, f, true, true, false, false, true},
        {recurrent_kind::simple, 2, 3, true, f}},
       0.2F,
       true});
}

TEST_CASE("gradients of GRUs that pass over masked steps, one of them both ways") {
  check_recurrent<recurrent_step_of<both_ways>>(
      "masked layers both ways",
      {{{recurrent_kind::gru, 3, 2, true, tests::tanh_of, true, false, true},
        {recurrent_kind::gru_reset_first, 4, 2, true, tests::tanh_of}},
       0.5F,
       true});
}

TEST_CASE("losses and metrics of each step leave masked ones out") {
  session<tagging<tagger>> run({.learning_rate = 0.0F});
  set_weights(run);
  std::vector<float> scores(samples * steps * 3);
  const std::vector<std::int32_t> given = drawn_words();
  for (std::size_t first = 0; first < samples; first += 4) {
    run.predict(std::span(given).subspan(first * steps, 4 * steps),
                std::span(scores).subspan(first * steps * 3, 4 * steps * 3));
  }
  const judged expected = judge(scores);
  // A masked step says what the step before has said; before the first there are zeros behind which
  // the bias stands alone.
  const std::vector<float> bias = reference::numbers(3, 31 + run.weights().size() - 1, 0.6F);
  int repeated = 0;
  for (std::size_t i = 0; i < given.size() * 3; ++i) {
    if (given[i / 3] == 0) {
      CHECK(scores[i] == (i / 3 % steps == 0 ? bias[i % 3] : scores[i - 3]));
      ++repeated;
    }
  }
  CHECK(repeated > 30);
  const evaluation found = run.evaluate(
      zipped(index_column<shape{5}, 7>(given), label_column<3, shape{5}>(drawn_classes())));
  CHECK(found.loss == Approx(expected.loss).epsilon(1e-6));
  CHECK(found.metrics["accuracy"] == Approx(expected.right).epsilon(1e-6));
  CHECK(run.train_step(given, drawn_classes()) == Approx(expected.loss).epsilon(1e-6));
}

TEST_CASE("a Bidirectional hands over zeros at masked steps, other layers what they had") {
  weights_of<side_by_side> weights;
  weights.initialize(3);
  predictor<side_by_side, micro_batch<tests::sequence_samples>> run(weights);
  std::vector<float> given =
      reference::numbers(tests::sequence_samples * steps * tests::sequence_features, 11, 1.5F);
  tests::clear_masked(given);
  std::vector<float> states(tests::sequence_samples * steps * 6);
  REQUIRE(run.predict(given, states));
  int zero = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::size_t sample = i / 6 / steps;
    const std::size_t step = i / 6 % steps;
    const bool first = sample == 3 || (sample == 2 && step == 0);
    if (tests::steps_there[sample][step]) {
      CHECK(states[i] != 0.0F);
    } else if (i % 6 < 4 || first) {
      CHECK(states[i] == 0.0F);
      ++zero;
    } else {
      CHECK(states[i] == states[i - 6]);
    }
  }
  CHECK(zero == 10 * 4 + 6 * 2);
}

TEST_CASE("what is masked by its word is what is masked by a row of zeros, and has no gradient") {
  session<tagging<tagger>> by_word({.learning_rate = 0.5F});
  session<tagging<masked_rows>> by_row({.learning_rate = 0.5F});
  set_weights(by_word);
  set_weights(by_row);
  for (int i = 0; i < 3; ++i) {
    CHECK(by_word.train_step(drawn_words(), drawn_classes()) ==
          by_row.train_step(drawn_words(), drawn_classes()));
  }
  CHECK(by_word.weights().fingerprint() == by_row.weights().fingerprint());
  std::vector<float> table(words * 3);
  by_row.weights().get(0, table);
  const std::vector<float> start = reference::numbers(table.size(), 31, 0.6F);
  int moved = 0;
  for (std::size_t n = 0; n < table.size(); ++n) {
    moved += n < 3 ? 0 : (table[n] != start[n] ? 1 : 0);
    CHECK((n >= 3 || table[n] == 0.0F));
  }
  CHECK(moved == 3 * (words - 1));
}

TEST_CASE("masked steps have the same bits under every schedule and for any micro-batch") {
  const std::uint64_t expected = weights_after<tagging<tagger>>(4, 1);
  CHECK(weights_after<tagging<tagger>>(4, 3) == expected);
  CHECK(weights_after<tagging<staged_tagger, grouped, 2>>(4, 2) == expected);
  CHECK(weights_after<tagging<staged_tagger, grouped, 2>>(4, 4) == expected);
  const std::uint64_t singly = weights_after<tagging<tagger, sequential_schedule, 1>>(4, 2);
  CHECK(singly == expected);
}

TEST_CASE("blocks of masked steps have the bits of the session") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 4, 64, 1472}) {
    machine_target target = ipu2;
    target.tiles = tiles;
    const tile_check words_found = check_tiles<tagging<staged_tagger, grouped, 2>>(
        target, {.updates = 2, .most_blocks = 5}, {.learning_rate = 0.5F});
    CHECK(words_found.fault == "");
    const tile_check states_found =
        check_tiles<recurrent_step_of<left_behind_words>>(target, {.updates = 2, .most_blocks = 5});
    CHECK(states_found.fault == "");
    blocks += words_found.count.blocks + states_found.count.blocks;
  }
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of masked steps\n", static_cast<long long>(blocks));
}
