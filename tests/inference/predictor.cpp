// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "inference/models.hpp"
#include "inference/reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

using one = predictor<odd_ends, micro_batch<1>>;
using seven = predictor<odd_ends, micro_batch<7>>;

static_assert(one::batch == 1 && one::sample_values == 20 && one::result_values == 5);
static_assert(seven::batch == 7);
static_assert(one::bytes > 0 && one::bytes % sizeof(float) == 0 && one::bytes < seven::bytes);

using sample = std::array<float, 20>;
using result = std::array<float, 5>;
static_assert(noexcept(std::declval<one&>().predict(sample(), std::declval<result&>())));
static_assert(noexcept(std::declval<one&>().predict(std::vector<float>(), std::span<float>())));
static_assert(noexcept(std::declval<one&>().push(sample())));

/// Only a single sample is a step of a stream; with others a call is refused with a sentence.
template <typename P>
concept takes_streams = requires(P& given, std::span<const float, P::sample_values> values) {
  { given.push(values) } -> std::same_as<std::span<const float, P::result_values>>;
};
static_assert(takes_streams<one> && !takes_streams<seven>);

/// Weights that go away before their predictor are refused with a sentence.
static_assert(temporary_weights_fault_of<weights_of<odd_ends>>::value.found());
static_assert(own_weights<weights_of<odd_ends>, odd_ends>);
static_assert(!own_weights<const weights_of<odd_ends>&, odd_ends>);
static_assert(std::is_constructible_v<one, const weights_of<odd_ends>&>);

static_assert(!value_count_fault_of<20, 20>::value.found());
static_assert(value_count_fault_of<20, 19>::value.message().view() ==
              "the predictor: expected 20 values, got 19. Hint: a call takes micro_batch samples, "
              "of one_step<...> a step of each, and gives as many results");

constexpr std::int64_t samples = 70;

}  // namespace

TEST_CASE("a model without kernels passes its samples on") {
  const weights_of<nothing> none;
  CHECK(weights_of<nothing>::values == 0);
  const std::vector<float> features = samples_of(32);
  predictor<nothing> given(none);
  std::array<float, 32> output{};
  CHECK(given.predict(features, output));
  CHECK(std::equal(output.begin(), output.end(), features.begin()));
  const auto passed = given.push(std::span(features).first<32>());
  CHECK(std::equal(passed.begin(), passed.end(), features.begin()));
}

TEST_CASE("memory of another length is refused, and nothing is written") {
  const reference_of<odd_ends> expected(1);
  one given(expected.kept);
  std::vector<float> output(6, -1.0F);
  int refused = 0;
  for (const std::size_t length : {0U, 1U, 19U, 21U, 40U}) {
    refused += given.predict(samples_of(length), std::span(output).first(5)) ? 0 : 1;
  }
  for (const std::size_t length : {0U, 4U, 6U}) {
    refused += given.predict(expected.features, std::span(output).first(length)) ? 0 : 1;
  }
  CHECK(refused == 8);
  CHECK(output == std::vector<float>(6, -1.0F));
  CHECK(given.predict(expected.features, std::span(output).first(5)));
  CHECK(std::equal(output.begin(), output.end() - 1, expected.output.begin()));
}

TEST_CASE("lengths that the compiler knows need no answer") {
  const reference_of<odd_ends> expected(1);
  one given(expected.kept);
  sample features{};
  std::copy_n(expected.features.begin(), features.size(), features.begin());
  result output{};
  given.predict(features, output);
  CHECK(std::equal(output.begin(), output.end(), expected.output.begin()));
  static_assert(std::is_void_v<decltype(given.predict(features, output))>);
}

TEST_CASE("a predictor works in the caller's memory and nowhere else") {
  const reference_of<odd_ends> expected(samples);
  constexpr std::byte mark{0x5A};
  alignas(seven::alignment) std::array<std::byte, seven::bytes + 128> memory;
  memory.fill(mark);
  seven given(expected.kept, std::span(memory).first(seven::bytes));
  std::vector<float> output(35);
  for (std::size_t batch = 0; batch < samples / 7; ++batch) {
    // A predictor keeps nothing there from call to call, and expects no zeros.
    std::fill_n(memory.begin(), seven::bytes, std::byte{0xFF});
    CHECK(given.predict(std::span(expected.features).subspan(140 * batch, 140), output));
    CHECK(std::equal(output.begin(), output.end(), expected.output.data() + 35 * batch));
  }
  CHECK(std::all_of(memory.begin() + seven::bytes, memory.end(),
                    [](std::byte beyond) { return beyond == mark; }));
}

TEST_CASE("memory that does not do is refused with a sentence") {
  const weights_of<odd_ends> weights;
  alignas(one::alignment) std::array<std::byte, one::bytes + 4> memory;
  memory.fill(std::byte{7});
  CHECK_THROWS_WITH(one(weights, std::span(memory).first(one::bytes - 1)),
                    "The memory of a predictor must have " + std::to_string(one::bytes) +
                        " bytes, got " + std::to_string(one::bytes - 1) + ".");
  CHECK_THROWS_WITH(one(weights, std::span(memory).subspan(4)),
                    "The memory of a predictor must begin at a multiple of 64 bytes, it begins 4 "
                    "behind one.");
  CHECK(std::all_of(memory.begin(), memory.end(),
                    [](std::byte untouched) { return untouched == std::byte{7}; }));
}

TEST_CASE("a predictor may move to another place") {
  const reference_of<odd_ends> expected(1);
  one first(expected.kept);
  one given = std::move(first);
  result output{};
  CHECK(given.predict(expected.features, output));
  CHECK(std::equal(output.begin(), output.end(), expected.output.begin()));
}

namespace {

struct wide : model<input<256>, sequential<Dense<256>>> {};

struct deep : model<input<64>, sequential<Dense<48, relu>, Dense<64, hyperbolic_tangent>>> {};

struct crossed {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input("x", {64});
    const symbolic_tensor y = build.input("y", {64});
    return {build.layer<Dense<64>>("product", x), build.layer<Add>("sum", x, y)};
  }
};

/// Numbers that differ, in [-1, 1).
std::vector<float> drawn(std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = 2 * uniform_unit(random_word(5, 0, i)) - 1;
  }
  return numbers;
}

/// How many numbers are wrong when the output begins so many behind its input, in one array.
template <typename M, int Batch>
std::ptrdiff_t wrong_if_shifted(std::ptrdiff_t shift) {
  weights_of<M> weights;
  weights.initialize(1);
  predictor<M, micro_batch<Batch>> run(weights);
  const std::size_t count = Batch * run.sample_values;
  std::vector<float> memory = drawn(count + 256);
  std::vector<float> expected(count);
  const std::span<float> given(memory.data() + 128, count);
  CHECK(run.predict(given, expected));
  const std::span<float> results(given.data() + shift, count);
  CHECK(run.predict(given, results));
  return std::ranges::count_if(
      results, [&, i = std::size_t{0}](float found) mutable { return found != expected[i++]; });
}

/// the same of results that are the next samples, call for call.
template <typename M>
int wrong_if_fed_back() {
  weights_of<M> weights;
  weights.initialize(1);
  predictor<M> run(weights);
  predictor<M> copied(weights);
  constexpr std::size_t count = predictor<M>::sample_values;
  std::array<float, count> next;
  std::ranges::copy(drawn(count), next.begin());
  std::span<const float, count> found = run.push(next);
  int wrong = 0;
  for (int call = 0; call < 10; ++call) {
    std::ranges::copy(copied.push(next), next.begin());
    wrong += std::ranges::equal(found, next) ? 0 : 1;
    found = run.push(found);
  }
  return wrong;
}

}  // namespace

TEST_CASE("an output may lie over its samples") {
  int checked = 0;
  for (const std::ptrdiff_t shift : {0, 1, 16, 100, -1, -16, -100}) {
    CHECK(wrong_if_shifted<wide, 1>(shift) == 0);
    CHECK(wrong_if_shifted<wide, 8>(shift) == 0);
    CHECK(wrong_if_shifted<deep, 4>(shift) == 0);
    ++checked;
  }
  CHECK(checked == 7);
  weights_of<crossed> weights;
  weights.initialize(1);
  predictor<crossed> run(weights);
  std::vector<float> x = drawn(64);
  std::vector<float> y(x.rbegin(), x.rend());
  std::vector<float> product(64);
  std::vector<float> sum(64);
  REQUIRE(run.predict(input_arrays{x, y}, output_arrays{product, sum}));
  REQUIRE(run.predict(input_arrays{x, y}, output_arrays{y, x}));
  CHECK(y == product);
  CHECK(x == sum);
}

TEST_CASE("a result may be the next sample") {
  CHECK(wrong_if_fed_back<wide>() == 0);
  CHECK(wrong_if_fed_back<deep>() == 0);
}
