// SPDX-License-Identifier: MIT
// Tests of training/array_calls.hpp: fit(x, y), evaluate(x, y).
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// Floats, integers and bytes come in; labels and numbers are told, and what samples count.
struct mixed {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input("x", {2, 3});
    const symbolic_tensor words = build.input("words", {4}, dtype::int32);
    const symbolic_tensor grey = build.input("grey", {5}, dtype::uint8);
    const symbolic_tensor all =
        build.layer<Concatenate>("", build.layer<Flatten>("", x),
                                 build.layer<Flatten>("", build.layer<Embedding<9, 2>>("", words)),
                                 build.layer<Rescaling<1.0F / 255, 0>>("", grey));
    return {build.layer<Dense<3>>("kind", all), build.layer<Dense<2>>("price", all)};
  }
};

struct mixed_training : compile<mixed, micro_batch<2>, gradient_accumulation<2>,
                                loss<for_output<"kind", sparse_categorical_crossentropy>,
                                     for_output<"price", mean_squared_error, sample_weights>>,
                                optimizer<sgd<>>> {};

struct line : model<input<3>, sequential<Dense<4>>> {};

struct line_training : compile<line, micro_batch<4>, loss<sparse_categorical_crossentropy>,
                               metrics<accuracy>, optimizer<sgd<>>> {};

/// Numbers that differ, in [-1, 1).
std::vector<float> drawn(std::size_t count) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(2 * uniform_unit(random_word(3, 0, i)) - 1);
  }
  return numbers;
}

std::vector<std::int32_t> counted(std::size_t count, std::int32_t below) {
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(static_cast<std::int32_t>(i * 7) % below);
  }
  return numbers;
}

}  // namespace

TEST_CASE("fit and evaluate of arrays have the bits of a data set, shuffled whole") {
  const std::vector<float> x = drawn(24 * 3);
  const std::vector<std::int32_t> y = counted(24, 4);
  const auto data = over_arrays<feature_column<shape{3}>, label_column<4>>(x, y);
  session<line_training> known{{.learning_rate = 0.1F}};
  session<line_training> run{{.learning_rate = 0.1F}};
  const std::uint64_t before = run.weights().fingerprint();
  known.fit(data | shuffled(24), {.epochs = 2});
  CHECK(run.fit(x, y, {.epochs = 2}).epochs().size() == 2);
  CHECK(run.weights().fingerprint() == known.weights().fingerprint());
  CHECK(run.weights().fingerprint() != before);

  const evaluation expected = known.evaluate(data);
  const evaluation found = run.evaluate(std::span(x), std::span<const std::int32_t>(y));
  CHECK(found.loss == expected.loss);
  CHECK(found.samples == 24);
  CHECK(found.metrics["accuracy"] == expected.metrics["accuracy"]);

  session<line_training> taken_in{{.learning_rate = 0.1F}};
  taken_in.fit(zipped(feature_column<shape{3}>(x), label_column<4>(y)) | shuffled(24),
               {.epochs = 2});
  CHECK(taken_in.weights().fingerprint() == known.weights().fingerprint());

  known.fit(data | shuffled(24) | repeated(), {.epochs = 3, .steps_per_epoch = 5});
  run.fit(x, y, {.epochs = 3, .steps_per_epoch = 5});
  CHECK(run.weights().fingerprint() == known.weights().fingerprint());
}

TEST_CASE("what stands behind arrays is what stands behind data") {
  const std::vector<float> x = drawn(24 * 3);
  const std::vector<std::int32_t> y = counted(24, 4);
  const std::vector<float> unseen = drawn(8 * 3);
  const std::vector<std::int32_t> answers = counted(8, 4);
  session<line_training> run;
  int epochs = 0;
  const auto count = [&](const epoch_record&) { ++epochs; };
  const history& passed = run.fit(x, y, {.epochs = 2}, validation_data(unseen, answers), count);
  CHECK(epochs == 2);
  const evaluation found = run.evaluate(unseen, answers);
  CHECK(found["loss"] == found.loss);
  CHECK(found["accuracy"] == found.metrics["accuracy"]);
  CHECK(passed.epochs().back()["val_loss"] == found.loss);
  CHECK(passed.epochs().back()["val_accuracy"] == found.metrics["accuracy"]);

  const auto last = over_arrays<feature_column<shape{3}>, label_column<4>>(x, y) | skip(12);
  const double split = run.fit(x, y, {.validation_split = 0.5}).epochs().back()["val_loss"];
  CHECK(split == run.evaluate(last).loss);
}

TEST_CASE("several inputs, targets and weights of every type are given as arrays") {
  const std::vector<float> x = drawn(8 * 6);
  const std::vector<std::int32_t> words = counted(8 * 4, 9);
  const std::vector<std::uint8_t> grey(8 * 5, 51);
  const std::vector<std::int32_t> kinds = counted(8, 3);
  const std::vector<float> prices = drawn(8 * 2);
  const std::vector<float> counts = {1, 2, 0, 1, 1, 3, 1, 0.5F};
  const auto data =
      over_arrays<feature_column<shape{2, 3}>, index_column<shape{4}, 9>, byte_column<shape{5}>,
                  label_column<3>, target_column<shape{2}>, weight_column<>>(x, words, grey, kinds,
                                                                             prices, counts);
  session<mixed_training> known;
  session<mixed_training> run;
  known.fit(data | shuffled(8), {.epochs = 2});
  run.fit(input_arrays{x, words, grey}, target_arrays{kinds, prices}, weight_arrays{counts},
          {.epochs = 2});
  CHECK(run.weights().fingerprint() == known.weights().fingerprint());
  CHECK(run.evaluate(input_arrays{x, words, grey}, target_arrays{kinds, prices}, counts).loss ==
        known.evaluate(data).loss);
  const history& passed =
      run.fit(input_arrays{x, words, grey}, target_arrays{kinds, prices}, counts, {},
              validation_data(input_arrays{x, words, grey}, target_arrays{kinds, prices}, counts));
  CHECK(passed.epochs().back()["val_loss"] == run.evaluate(data).loss);
}

TEST_CASE("arrays that do not belong together are a sentence, and nothing changes") {
  session<line_training> run;
  const std::uint64_t before = run.weights().fingerprint();
  std::vector<float> x = drawn(8 * 3);
  std::vector<std::int32_t> y = counted(8, 4);
  const auto sentence = [&](const auto& features, const auto& labels) {
    return sentence_of([&] { run.fit(features, labels); });
  };
  const std::vector<std::int32_t> few = counted(7, 4);
  CHECK(sentence(x, few) == "Array 1 has 7 samples, the first 8.");
  CHECK(sentence_of([&] { run.evaluate(x, few); }) == "Array 1 has 7 samples, the first 8.");
  CHECK(sentence_of([&] { run.fit(x, y, {}, validation_data(x, few)); }) ==
        "Array 1 has 7 samples, the first 8.");
  CHECK(sentence(drawn(10), y) == "Array 0 has 10 numbers, which do not divide into samples of 3.");
  CHECK(sentence(x, std::vector<std::int32_t>(8, 4)) ==
        "Label 0 of array 1 is 4; expected 0 to 3.");
  CHECK(sentence(std::vector<float>(), std::vector<std::int32_t>()) ==
        "fit got no samples; expected at least 1.");
  x[4] = std::numeric_limits<float>::quiet_NaN();
  CHECK(sentence(x, y).find("Value 1 of sample 1 of array 0 is nan; expected finite numbers.") ==
        0);
  CHECK(run.weights().fingerprint() == before);
}
