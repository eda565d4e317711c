// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "inference/models.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

using weights = weights_of<odd_ends>;

// 20 x 37 + 37 + 37 x 5 + 5
static_assert(weights::values == 967);
static_assert(weights::bytes >= weights::values * sizeof(float));
static_assert(weights::bytes % weights::alignment == 0);

/// Small enough to be laid out by the compiler.
struct tiny : model<input<2>, sequential<Dense<2, relu>, Dense<1>>> {};

/// W1 = [[1, 2], [3, 4]], b1 = [5, -60], W2 = [[7], [8]], b2 = [9].
constexpr std::array<float, 9> tiny_values{1, 2, 3, 4, 5, -60, 7, 8, 9};
constexpr embedded_weights<tiny> tiny_weights{tiny_values};

/// All values, parameter after parameter.
std::vector<float> values_of(const parameters& given) {
  std::vector<float> all;
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(given.at(i).extents.elements()));
    given.get(i, values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<float> results_of(predictor<odd_ends>& given, const std::vector<float>& features) {
  std::vector<float> output(5);
  CHECK(given.predict(features, output));
  return output;
}

}  // namespace

TEST_CASE("weights begin as zeros and are set by name") {
  weights kept;
  CHECK(kept.size() == 4);
  CHECK(values_of(kept) == std::vector<float>(weights::values));
  CHECK(kept.name(0) == "dense_1/kernel");
  std::vector<float> bias(37);
  for (std::size_t i = 0; i < bias.size(); ++i) {
    bias[i] = static_cast<float>(i);
  }
  kept.set("dense_1/bias", bias);
  std::vector<float> found(37);
  kept.get(1, found);
  CHECK(found == bias);
}

TEST_CASE("all weights can be given at once, and lie as if they had been set one by one") {
  weights drawn;
  drawn.initialize(7);
  const std::vector<float> all = values_of(drawn);
  REQUIRE(all.size() == weights::values);
  weights assigned;
  assigned.assign(std::span(all).first<weights::values>());
  CHECK(assigned.fingerprint() == drawn.fingerprint());
  CHECK(std::equal(assigned.data(), assigned.data() + weights::bytes, drawn.data()));
  std::printf("checked %zu values\n", all.size());
}

TEST_CASE("weights are copied from others of the same names and shapes, or not at all") {
  weights source;
  source.initialize(3);
  weights copy;
  copy.copy_from(source);
  CHECK(copy.fingerprint() == source.fingerprint());

  weights_of<tiny> fewer;
  fewer.initialize(1);
  const std::uint64_t before = fewer.fingerprint();
  CHECK_THROWS_WITH(fewer.copy_from(weights_of<whole_ends>()),
                    "The parameter dense_0/kernel (2, 2) cannot be copied from dense_0/kernel "
                    "(32, 48).");
  CHECK_THROWS_WITH(fewer.copy_from(weights_of<nothing>()),
                    "There are 4 parameters to copy to and 0 to copy; the first that differs is "
                    "dense_0/kernel (2, 2).");
  weights_of<nothing> none;
  CHECK_THROWS_WITH(none.copy_from(fewer),
                    "There are 0 parameters to copy to and 4 to copy; the first that differs is "
                    "dense_0/kernel (2, 2). Hint: to weights_of<normalization_folded<M>> those of "
                    "M are copied by copy_folded(run.weights(), weights).");
  CHECK(fewer.fingerprint() == before);
}

TEST_CASE("weights lie in the caller's memory") {
  alignas(weights::alignment) std::array<std::byte, weights::bytes + 64> memory;
  memory.fill(std::byte{0x5A});
  weights there{std::span(memory).first(weights::bytes)};
  CHECK(there.data() == memory.data());
  there.initialize(2);
  weights own;
  own.initialize(2);
  CHECK(std::equal(own.data(), own.data() + weights::bytes, memory.data()));
  CHECK(std::all_of(memory.begin() + weights::bytes, memory.end(),
                    [](std::byte beyond) { return beyond == std::byte{0x5A}; }));
  CHECK_THROWS_WITH(weights(std::span(memory).first(weights::bytes - 1)),
                    "The memory of weights must have " + std::to_string(weights::bytes) +
                        " bytes, got " + std::to_string(weights::bytes - 1) + ".");
  CHECK_THROWS_WITH(weights(std::span(memory).subspan(32)),
                    "The memory of weights must begin at a multiple of 64 bytes, it begins 32 "
                    "behind one.");
}

TEST_CASE("weights that the compiler laid out predict as they stand") {
  predictor<tiny> given(tiny_weights);
  // relu(1 + 6 + 5) = 12, relu(2 + 8 - 60) = 0; 7 * 12 + 9.
  CHECK(given.push(std::array{1.0F, 2.0F})[0] == 93.0F);
  // relu(10 + 60 + 5) = 75, relu(20 + 80 - 60) = 40; 7 * 75 + 8 * 40 + 9.
  CHECK(given.push(std::array{10.0F, 20.0F})[0] == 854.0F);

  weights_of<tiny> set;
  set.assign(tiny_values);
  CHECK(std::equal(set.data(), set.data() + weights_of<tiny>::bytes, tiny_weights.data()));
}

TEST_CASE("predictors of every batch share one set of weights, and see it change") {
  weights shared;
  shared.initialize(1);
  predictor<odd_ends> first(shared);
  predictor<odd_ends> second(shared);
  predictor<odd_ends, micro_batch<3>> three(shared);
  const std::vector<float> features = samples_of(60);
  const std::vector<float> sample(features.begin(), features.begin() + 20);
  const std::vector<float> before = results_of(first, sample);
  CHECK(results_of(second, sample) == before);

  shared.initialize(2);
  const std::vector<float> after = results_of(first, sample);
  CHECK(after != before);
  CHECK(results_of(second, sample) == after);
  std::vector<float> all(15);
  CHECK(three.predict(features, all));
  CHECK(std::equal(after.begin(), after.end(), all.begin()));
}

TEST_CASE("threads with predictors of their own predict at the same time from the same weights") {
  constexpr std::size_t threads = 3;
  constexpr std::size_t calls = 2'000;
  weights shared;
  shared.initialize(1);
  const std::vector<float> features = samples_of(20 * calls);
  predictor<odd_ends> alone(shared);
  std::vector<float> expected;
  for (std::size_t call = 0; call < calls; ++call) {
    const auto found = alone.push(std::span(features).subspan(20 * call).first<20>());
    expected.insert(expected.end(), found.begin(), found.end());
  }
  std::array<std::vector<float>, threads> found;
  std::vector<std::thread> running;
  for (std::vector<float>& results : found) {
    results.resize(5 * calls);
    running.emplace_back([&shared, &features, &results] {
      predictor<odd_ends> own(shared);
      for (std::size_t call = 0; call < calls; ++call) {
        const bool right = own.predict(std::span(features).subspan(20 * call, 20),
                                       std::span(results).subspan(5 * call, 5));
        results[0] = right ? results[0] : -1.0F;
      }
    });
  }
  std::size_t checked = 0;
  for (std::size_t i = 0; i < threads; ++i) {
    running[i].join();
    CHECK(found[i] == expected);
    checked += found[i].size();
  }
  CHECK(checked == threads * calls * 5);
  std::printf("checked %zu values of %zu threads\n", checked, threads);
}
