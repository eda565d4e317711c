// SPDX-License-Identifier: MIT
// Predictors of models with several inputs and outputs, and with integers.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/embedding.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "inference/models.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// Numbers and words; an output of the first stage, which the second reads as well, and two of the
/// second. Rows of 16 are never padded, the others are.
struct house {
  static constexpr std::array<symbolic_tensor, 3> build(functional_builder& build) {
    const symbolic_tensor rooms = build.input("rooms", {5});
    const symbolic_tensor words = build.input("words", {3}, dtype::int32);
    const symbolic_tensor view = build.input("view", {16});
    const symbolic_tensor read =
        build.layer<Flatten>("", build.layer<Embedding<11, 4>>("words", words));
    const symbolic_tensor both = build.layer<Concatenate>("", rooms, read, view);
    const symbolic_tensor code = build.layer<Dense<16, relu>>("code", both);
    build.stage(1);
    const symbolic_tensor hidden = build.layer<Dense<9, hyperbolic_tangent>>("hidden", code);
    return {build.layer<Dense<4>>("kind", hidden), code, build.layer<Dense<1>>("price", hidden)};
  }
};

/// Nothing is computed of what is handed out first and last; two outputs are one tensor.
struct handed_on {
  static constexpr std::array<symbolic_tensor, 4> build(functional_builder& build) {
    const symbolic_tensor wide = build.input("wide", {16});
    const symbolic_tensor narrow = build.input("narrow", {3});
    const symbolic_tensor twice = build.layer<Add>("twice", wide, wide);
    const symbolic_tensor thrice = build.layer<Add>("thrice", narrow, narrow, narrow);
    const symbolic_tensor all = build.layer<Concatenate>("all", twice, thrice);
    return {wide, twice, narrow, all};
  }
};

/// Two inputs and one output; one input and two outputs.
struct two_to_one {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor wide = build.input("wide", {16});
    const symbolic_tensor narrow = build.input("narrow", {3});
    return build.layer<Concatenate>("all", wide, narrow);
  }
};

struct one_to_two {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor wide = build.input("wide", {16});
    return {build.layer<Add>("twice", wide, wide), wide};
  }
};

struct of_words : model<input<dtype::int32, 6>, sequential<Embedding<7, 3>, Flatten, Dense<2>>> {};

template <typename M>
struct predicting : compile<M, micro_batch<8>> {};

constexpr std::size_t samples = 35;

std::vector<std::int32_t> words_of(std::size_t count, std::int32_t classes) {
  std::vector<std::int32_t> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    words[i] = static_cast<std::int32_t>(i * 7 + i / 5) % classes;
  }
  return words;
}

/// What a session says of the model `house`.
struct houses {
  std::vector<float> rooms = samples_of(samples * 5);
  std::vector<std::int32_t> words = words_of(samples * 3, 11);
  std::vector<float> view = samples_of(samples * 16);
  std::vector<float> kinds = std::vector<float>(samples * 4);
  std::vector<float> codes = std::vector<float>(samples * 16);
  std::vector<float> prices = std::vector<float>(samples);
  weights_of<house> weights;

  houses() {
    session<predicting<house>> run;
    weights.copy_from(run.weights());
    run.predict(input_arrays{rooms, words, view}, output_arrays{kinds, codes, prices});
  }
};

template <typename Number>
std::span<const Number> part(const std::vector<Number>& all, std::size_t first, std::size_t count,
                             std::size_t elements) {
  return std::span(all).subspan(first * elements, count * elements);
}

bool same(std::span<const float> found, std::span<const float> expected) {
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end());
}

template <std::size_t Batch>
std::size_t equal_samples(const houses& expected) {
  predictor<house, micro_batch<static_cast<int>(Batch)>> given(expected.weights);
  std::size_t equal = 0;
  for (std::size_t first = 0; first < samples; first += Batch) {
    const auto rooms = part(expected.rooms, first, Batch, 5);
    const auto words = part(expected.words, first, Batch, 3);
    const auto view = part(expected.view, first, Batch, 16);
    std::array<float, Batch * 4> kinds{};
    std::vector<float> codes(Batch * 16);
    std::array<float, Batch> prices{};
    CHECK(given.predict(input_arrays{rooms, words, view}, output_arrays{kinds, codes, prices}));
    const bool right = same(kinds, part(expected.kinds, first, Batch, 4)) &&
                       same(codes, part(expected.codes, first, Batch, 16)) &&
                       same(prices, part(expected.prices, first, Batch, 1));
    equal += right ? Batch : 0;
  }
  return equal;
}

using stream = predictor<house>;
static_assert(stream::input_values == std::array<std::size_t, 3>{5, 3, 16});
static_assert(stream::output_values == std::array<std::size_t, 3>{4, 16, 1});
static_assert(predictor<of_words>::sample_values == 6 && predictor<of_words>::result_values == 2);

}  // namespace

TEST_CASE("a predictor of several inputs and outputs gives a session's bits, whatever the batch") {
  const houses expected;
  const std::size_t equal =
      equal_samples<1>(expected) + equal_samples<5>(expected) + equal_samples<35>(expected);
  CHECK(equal == 3 * samples);
  std::printf("several: %zu predictions of three outputs\n", equal);
}

TEST_CASE("a stream of several inputs gives the results of the batches") {
  const houses expected;
  stream given(expected.weights);
  static_assert(noexcept(given.push(expected.rooms, expected.words, expected.view)));
  std::size_t equal = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto [kind, code, price] =
        given.push(part(expected.rooms, i, 1, 5), part(expected.words, i, 1, 3),
                   part(expected.view, i, 1, 16));
    const bool right = same(kind, part(expected.kinds, i, 1, 4)) &&
                       same(code, part(expected.codes, i, 1, 16)) &&
                       same(price, part(expected.prices, i, 1, 1));
    equal += right ? 1U : 0U;
  }
  CHECK(equal == samples);
}

TEST_CASE("one output of two inputs, and two of one input, are given as in a session") {
  const std::vector<float> wide = samples_of(3 * 16);
  const std::vector<float> narrow = samples_of(3 * 3);
  const weights_of<two_to_one> none;
  predictor<two_to_one, micro_batch<3>> joined(none);
  std::vector<float> all(wide.size() + narrow.size());
  CHECK(joined.predict(input_arrays{wide, narrow}, all));
  CHECK(all[18] == narrow[2]);
  CHECK(all[19] == wide[16]);
  CHECK_FALSE(joined.predict(input_arrays{narrow, wide}, all));
  const weights_of<one_to_two> neither;
  predictor<one_to_two, micro_batch<3>> split(neither);
  std::vector<float> twice(wide.size());
  std::vector<float> same(wide.size());
  CHECK(split.predict(wide, output_arrays{twice, same}));
  CHECK(same == wide);
  CHECK(twice[47] == 2 * wide[47]);
  CHECK_FALSE(split.predict(narrow, output_arrays{twice, same}));
}

TEST_CASE("what is handed on and handed out twice") {
  const weights_of<handed_on> none;
  const std::vector<float> wide = samples_of(3 * 16);
  const std::vector<float> narrow = samples_of(3 * 3);
  std::vector<float> same_wide(wide.size());
  std::vector<float> twice(wide.size());
  std::vector<float> same_narrow(narrow.size());
  std::vector<float> all(wide.size() + narrow.size());
  predictor<handed_on, micro_batch<3>> given(none);
  CHECK(
      given.predict(input_arrays{wide, narrow}, output_arrays{same_wide, twice, same_narrow, all}));
  CHECK(same_wide == wide);
  CHECK(same_narrow == narrow);
  int checked = 0;
  for (std::size_t sample = 0; sample < 3; ++sample) {
    for (std::size_t i = 0; i < 16; ++i) {
      CHECK(twice[16 * sample + i] == 2 * wide[16 * sample + i]);
      CHECK(all[19 * sample + i] == twice[16 * sample + i]);
      ++checked;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const float number = narrow[3 * sample + i];
      CHECK(all[19 * sample + 16 + i] == (number + number) + number);
      ++checked;
    }
  }
  CHECK(checked == 57);
}

TEST_CASE("integers alone are predicted as a session does") {
  session<predicting<of_words>> run;
  weights_of<of_words> weights;
  weights.copy_from(run.weights());
  const std::vector<std::int32_t> words = words_of(4 * 6, 7);
  std::vector<float> expected(8);
  run.predict(words, expected);
  predictor<of_words, micro_batch<4>> given(weights);
  std::vector<float> found(8);
  CHECK(given.predict(words, found));
  CHECK(found == expected);
  predictor<of_words> one(weights);
  CHECK(same(one.push(part(words, 3, 1, 6)), part(expected, 3, 1, 2)));
}

TEST_CASE("a number that is no class and another length are refused, and nothing is written") {
  const houses expected;
  stream given(expected.weights);
  std::array<float, 4> kind{};
  kind.fill(-1.0F);
  std::array<float, 16> code{};
  std::array<float, 1> price{};
  const auto rooms = part(expected.rooms, 0, 1, 5);
  const auto view = part(expected.view, 0, 1, 16);
  const output_arrays into{kind, code, price};
  int refused = 0;
  for (const std::int32_t wrong : {-1, 11, 1000}) {
    const std::array<std::int32_t, 3> words{0, 10, wrong};
    refused += given.predict(input_arrays{rooms, words, view}, into) ? 0 : 1;
    refused += given.push(rooms, words, view)[0].empty() ? 1 : 0;
  }
  const std::vector<std::int32_t> words{0, 1, 10};
  const std::vector<std::int32_t> few{0, 1};
  std::vector<float> two_prices(2);
  refused += given.predict(input_arrays{rooms, few, view}, into) ? 0 : 1;
  refused += given.predict(input_arrays{view, words, view}, into) ? 0 : 1;
  refused += given.predict(input_arrays{rooms, words, view}, output_arrays{kind, code, two_prices})
                 ? 0
                 : 1;
  CHECK(refused == 9);
  CHECK(std::count(kind.begin(), kind.end(), -1.0F) == 4);
  CHECK(given.predict(input_arrays{rooms, words, view}, into));
  CHECK(std::count(kind.begin(), kind.end(), -1.0F) == 0);
}
