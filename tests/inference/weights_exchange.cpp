// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <ipu_dsl/runtime/weights_exchange.hpp>

#include "inference/models.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// Its outputs are sums of its weights for features that are ones.
struct sums : model<input<16>, sequential<Dense<24>>> {};

using weights = weights_of<sums>;

constexpr std::array<float, 16> all_ones{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/// Kernel and bias of this value: each output is seventeen times as much.
void fill(weights& kept, float value) {
  std::array<float, weights::values> all;
  all.fill(value);
  kept.assign(all);
}

}  // namespace

TEST_CASE("a predictor reads the weights that it was told to use last") {
  weights first;
  weights second;
  fill(first, 1);
  fill(second, 2);
  predictor<sums> given(first);
  CHECK(given.push(all_ones)[23] == 17.0F);
  given.use(second);
  CHECK(given.push(all_ones)[23] == 34.0F);
  fill(second, 3);
  CHECK(given.push(all_ones)[23] == 51.0F);
  given.use(first);
  CHECK(given.push(all_ones)[0] == 17.0F);
}

TEST_CASE("two sets of weights go to and fro") {
  weights first;
  weights second;
  fill(first, 1);
  predictor<sums> one(first);
  predictor<sums, micro_batch<2>> two(first);
  weights_exchange<sums> exchange(first, second);
  CHECK_FALSE(exchange.update(one, two));
  REQUIRE(exchange.spare() == &second);
  fill(second, 2);
  CHECK(one.push(all_ones)[0] == 17.0F);

  CHECK(exchange.offer());
  CHECK(exchange.spare() == nullptr);
  CHECK_FALSE(exchange.offer());
  CHECK(one.push(all_ones)[0] == 17.0F);
  CHECK(exchange.update(one, two));
  CHECK_FALSE(exchange.update(one, two));
  CHECK(one.push(all_ones)[0] == 34.0F);
  std::array<float, 32> samples;
  samples.fill(1);
  std::array<float, 48> results{};
  two.predict(samples, results);
  CHECK(results[47] == 34.0F);

  REQUIRE(exchange.spare() == &first);
  fill(first, 3);
  CHECK(one.push(all_ones)[0] == 34.0F);
  CHECK(exchange.offer());
  CHECK(exchange.update(one, two));
  CHECK(one.push(all_ones)[0] == 51.0F);
  CHECK(exchange.spare() == &second);
}

TEST_CASE("an exchange of one set of weights with itself is refused") {
  weights only;
  CHECK_THROWS_WITH(weights_exchange<sums>(only, only),
                    "weights_exchange: expected two sets of weights, got the same one twice.");
}

TEST_CASE("a predictor of the spare set reads the current one from the first update on") {
  weights first;
  weights second;
  fill(first, 1);
  fill(second, 2);
  predictor<sums> given(second);
  weights_exchange<sums> exchange(first, second);
  CHECK(!exchange.update(given));
  CHECK(given.push(all_ones)[0] == 17.0F);
  // What is written and not offered is not read.
  fill(*exchange.spare(), 3);
  CHECK(!exchange.update(given));
  CHECK(given.push(all_ones)[0] == 17.0F);
  REQUIRE(exchange.offer());
  CHECK(exchange.update(given));
  CHECK(given.push(all_ones)[0] == 51.0F);
}

TEST_CASE("weights are exchanged under a running predictor, whole and in order") {
  constexpr int rounds = 2'000;
  weights first;
  weights second;
  fill(first, 0);
  predictor<sums> given(first);
  weights_exchange<sums> exchange(first, second);
  std::thread writer([&exchange] {
    for (int round = 1; round <= rounds;) {
      weights* const spare = exchange.spare();
      if (spare == nullptr) {
        std::this_thread::yield();
        continue;
      }
      fill(*spare, static_cast<float>(round));
      exchange.offer();
      ++round;
    }
  });
  int taken = 0;
  int torn = 0;
  int backwards = 0;
  float last = 0;
  std::int64_t calls = 0;
  while (taken < rounds && calls < 1'000'000'000) {
    taken += exchange.update(given) ? 1 : 0;
    const auto found = given.push(all_ones);
    ++calls;
    torn +=
        std::all_of(found.begin(), found.end(), [&found](float value) { return value == found[0]; })
            ? 0
            : 1;
    backwards += found[0] < last ? 1 : 0;
    last = found[0];
  }
  writer.join();
  CHECK(taken == rounds);
  CHECK(torn == 0);
  CHECK(backwards == 0);
  CHECK(last == 17.0F * rounds);
  std::printf("checked %lld calls under %d exchanges\n", static_cast<long long>(calls), taken);
}
