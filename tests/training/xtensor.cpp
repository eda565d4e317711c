// SPDX-License-Identifier: MIT
// Tests of training/xtensor.hpp.
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/xtensor.hpp>

// That of xtensor 0.24 is no C++ to clang 19, whatever is made of it.
#if !defined(__clang__)
#if __has_include(<xtensor/containers/xarray.hpp>)
#include <xtensor/containers/xarray.hpp>
#else
#include <xtensor/xarray.hpp>
#endif
#endif

#if __has_include(<xtensor/views/xview.hpp>)
#include <xtensor/generators/xbuilder.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xbuilder.hpp>
#include <xtensor/xview.hpp>
#endif

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct two_ends {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input("x", {2, 3});
    const symbolic_tensor flat = build.layer<Flatten>("", x);
    return {build.layer<Dense<4>>("kind", flat), build.layer<Dense<1>>("price", flat)};
  }
};

struct training
    : compile<two_ends, micro_batch<2>, loss<for_output<"kind", sparse_categorical_crossentropy>>> {
};

struct words : model<input<dtype::int32, 5>,
                     sequential<Embedding<7, 3>, Flatten, named<"score", Dense<2>>>> {};

struct reading : compile<words, micro_batch<1>> {};

/// [4, 2, 3]: eighths from 0 on.
xt::xtensor<float, 3> eighths() {
  xt::xtensor<float, 3> made(std::array<std::size_t, 3>{4, 2, 3});
  for (std::size_t i = 0; i < made.size(); ++i) {
    made.data()[i] = static_cast<float>(i) / 8.0F;
  }
  return made;
}

using compiled_training = training::compiled;

template <typename Input, typename Target>
constexpr bool step_says(const char* words) {
  return step_fault_of<compiled_training, Input, Target>::value.message().view() == words;
}

using kinds_column = xt::xtensor<std::int64_t, 2>;

static_assert(step_says<xt::xtensor<float, 2>, kinds_column>(
    "the batch: expected an input of rank 3: samples x (2, 3), got rank 2. Hint: the first axis "
    "counts the samples"));
static_assert(step_says<decltype(2.0 * xt::xtensor<double, 5>()), kinds_column>(
    "the batch: expected an input of rank 3: samples x (2, 3), got rank 5. Hint: the first axis "
    "counts the samples"));
static_assert(step_says<xt::xtensor<float, 3>, xt::xtensor<std::int64_t, 3>>(
    "the batch: expected labels of rank 1: samples x (), got rank 3. Hint: the first axis counts "
    "the samples"));
static_assert(step_says<xt::xtensor<std::int16_t, 3>, kinds_column>(
    "the batch: expected an input of float32, got int32. Hint: write them as float"));
static_assert(step_says<input_arrays<xt::xtensor<float, 2>>, kinds_column>(
    "the batch: expected an input of rank 3: samples x (2, 3), got rank 2. Hint: the first "
    "axis counts the samples"));
static_assert(!converted_to_array<xt::xtensor<std::complex<float>, 3>>);
static_assert(converted_to_array<xt::xtensor<bool, 1>>);
#if !defined(__clang__)
static_assert(!step_fault_of<compiled_training, xt::xarray<double>, kinds_column>::value.found());
#endif

/// The numbers of an xtensor in order.
template <typename Numbers>
std::vector<float> numbers_of(const Numbers& all) {
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("a step takes xtensors, views, expressions and other numbers, with the same bits") {
  const xt::xtensor<float, 3> all = eighths();
  const xt::xtensor<float, 3> x = xt::view(all, xt::range(1, 3));
  const std::vector<std::int32_t> labels = {3, 1};
  session<training> plain;
  const double expected = plain.train_step(numbers_of(x), labels);

  const xt::xtensor<std::int32_t, 1> kinds = {3, 1};
  const xt::xtensor<std::int64_t, 2> column = {{3}, {1}};
  const xt::xtensor<float, 3, xt::layout_type::column_major> columns = x;
  int steps = 0;
  const auto check_step = [&](const auto& given, const auto& told) {
    session<training> run;
    CHECK(run.train_step(given, told) == expected);
    CHECK(run.weights().fingerprint() == plain.weights().fingerprint());
    ++steps;
  };
  check_step(x, kinds);
  check_step(xt::view(all, xt::range(1, 3)), kinds);
  check_step(2 * xt::cast<double>(x) / 2, column);
  check_step(columns, labels);
  CHECK(steps == 4);
#if !defined(__clang__)
  const xt::xarray<float> any = x;
  check_step(any, xt::xarray<std::int16_t>(kinds));
  CHECK(steps == 5);
#endif
}

TEST_CASE("fit and evaluate take xtensors and expressions") {
  const xt::xtensor<float, 3> x = eighths();
  const xt::xtensor<std::int64_t, 1> kinds = {3, 1, 0, 2};
  const std::vector<std::int32_t> labels = {3, 1, 0, 2};
  const std::vector<float> plain = numbers_of(x);
  session<training> known;
  session<training> run;
  known.fit(plain, labels, {.epochs = 2}, validation_data(plain, labels));
  const history& passed = run.fit(1.0 * x, kinds, {.epochs = 2}, validation_data(2 * x / 2, kinds));
  CHECK(run.weights().fingerprint() == known.weights().fingerprint());
  CHECK(passed.epochs().back()["val_loss"] == known.evaluate(plain, labels).loss);
  CHECK(passed.epochs().back()["val_loss"] == run.evaluate(x, kinds).loss);
}

TEST_CASE("predictions are xtensors, one for each output") {
  session<training> run;
  const xt::xtensor<float, 3> x = eighths();
  std::vector<float> kinds(4 * 4);
  std::vector<float> prices(4);
  run.predict(x, output_arrays{kinds, prices});

  const auto found = predicted(run, 1.0 * x);
  static_assert(std::is_same_v<decltype(found),
                               const std::tuple<xt::xtensor<float, 2>, xt::xtensor<float, 2>>>);
  CHECK(std::get<0>(found).shape() == std::array<std::size_t, 2>{4, 4});
  CHECK(std::get<1>(found).shape() == std::array<std::size_t, 2>{4, 1});
  CHECK(numbers_of(std::get<0>(found)) == kinds);
  CHECK(numbers_of(std::get<1>(found)) == prices);

  xt::xtensor<float, 2> more = xt::zeros<float>({5, 4});
  xt::xtensor<float, 2> costs = xt::zeros<float>({6, 1});
  auto room = xt::view(more, xt::range(1, 5));
  auto costs_room = xt::view(costs, xt::range(2, 6));
  run.predict(x, output_arrays{room, costs_room});
  CHECK(more(0, 3) == 0);
  CHECK(more(4, 3) == kinds[15]);
  CHECK(costs(5, 0) == prices[3]);

  session<reading> reader;
  const xt::xtensor<std::int64_t, 2> text = {{0, 1, 2, 3, 4}, {6, 5, 4, 3, 2}, {1, 1, 1, 1, 1}};
  const xt::xtensor<float, 2> scores = predicted(reader, text);
  std::vector<float> plain(2);
  reader.predict(std::vector<std::int32_t>{6, 5, 4, 3, 2}, plain);
  CHECK(scores.shape()[0] == 3);
  CHECK(scores(1, 0) == plain[0]);
  CHECK(scores(1, 1) == plain[1]);
}

TEST_CASE("extents and integers that do not fit are a sentence, and nothing is trained") {
  session<training> run;
  const std::uint64_t before = run.weights().fingerprint();
  const std::vector<std::int32_t> labels = {3, 1};
  const xt::xtensor<float, 3> turned(std::array<std::size_t, 3>{2, 3, 2}, 1.0F);
  const std::string sentence =
      "An array of a batch has 3 axes, behind that of the samples (3, 2); expected samples (2, 3) "
      "side by side.";
  CHECK(sentence_of([&] { run.train_step(turned, labels); }) == sentence);
  CHECK(sentence_of([&] { run.train_step(2 * turned, labels); }) == sentence);
  CHECK(sentence_of([&] { predicted(run, turned); }) == sentence);
#if !defined(__clang__)
  const xt::xarray<float> flat(std::vector<std::size_t>{12});
  CHECK(sentence_of([&] { run.train_step(flat, labels); }) ==
        "An array of a batch has 1 axes, behind that of the samples (); expected samples (2, 3) "
        "side by side.");
#endif
  const xt::xtensor<float, 3> x = xt::view(eighths(), xt::range(0, 2));
  CHECK(sentence_of([&] { run.train_step(x, xt::xtensor<std::int64_t, 1>{1, 5'000'000'000}); }) ==
        "Number 1 of a range is 5000000000; expected -2147483648 to 2147483647.");
  CHECK(sentence_of([&] { run.train_step(x, xt::xtensor<std::int32_t, 1>{1, 2, 3}); }) ==
        "A batch of 2 samples got 3 labels.");
  CHECK(run.weights().fingerprint() == before);
}

TEST_CASE("weights are read and set by layer and name in their shape") {
  session<training> run;
  const xt::xtensor<float, 2> kernel = as_xtensor<2>(run.weights(), "kind", "kernel");
  CHECK(kernel.shape() == std::array<std::size_t, 2>{6, 4});
  std::vector<float> values(24);
  run.weights().get("kind/kernel", values);
  CHECK(numbers_of(kernel) == values);

  set_from(run.weights(), "kind", "kernel", 2 * kernel);
  CHECK(numbers_of(as_xtensor<2>(run.weights(), "kind", "kernel")) ==
        numbers_of(xt::xtensor<float, 2>(2 * kernel)));
  set_from(run.weights(), "kind", "bias", xt::arange<double>(4));
  CHECK(numbers_of(as_xtensor<1>(run.weights(), "kind", "bias")) == std::vector<float>{0, 1, 2, 3});

  const std::uint64_t before = run.weights().fingerprint();
  CHECK(sentence_of([&] { set_from(run.weights(), "kind", "kernel", xt::transpose(kernel)); }) ==
        "The weights kind/kernel are (6, 4); got values (4, 6).");
  CHECK(sentence_of([&] { as_xtensor<1>(run.weights(), "kind", "kernel"); }) ==
        "The weights kind/kernel are (6, 4), of rank 2; asked for as an xtensor of rank 1.");
  CHECK_FALSE(sentence_of([&] { set_from(run.weights(), "kinds", "bias", kernel); }).empty());
  CHECK(sentence_of([&] {
          set_from(run.weights(), "kind", "bias", xt::xtensor<double, 1>{1, 2, -1e300, 4});
        }) == "Number 2 of a range is beyond float; expected -3.4e38 to 3.4e38.");
  CHECK(run.weights().fingerprint() == before);
}
