// SPDX-License-Identifier: MIT
// A small GPT of examples/models: the same bits on one device and in four stages without bubbles,
// it learns, and what it writes does not depend on what stands behind.
#include "../../examples/models/gpt.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/training/session.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr std::size_t steps = 6;
constexpr std::size_t samples = 16;
constexpr std::int32_t characters = 7;

struct in_four_stages : models::gpt<6, characters, 10, 2> {};

struct uncut : models::gpt_on_one_device<6, characters, 10, 2> {};

template <typename Model, typename Schedule>
struct trained : compile<Model, Schedule, micro_batch<2>, gradient_accumulation<8>, mean_gradients,
                         loss<sparse_categorical_crossentropy>, optimizer<adam>> {};

/// Rows that count up, each from another number: what comes next is certain.
std::vector<std::int32_t> counting(std::int32_t ahead) {
  std::vector<std::int32_t> made;
  for (std::size_t i = 0; i < samples * steps; ++i) {
    const auto start = static_cast<std::int32_t>(i / steps);
    made.push_back((start + static_cast<std::int32_t>(i % steps) + ahead) % characters);
  }
  return made;
}

struct outcome {
  std::uint64_t weights;
  double loss;

  friend bool operator==(const outcome&, const outcome&) = default;
};

template <typename Session>
outcome train(Session& run, int updates) {
  double loss = 0;
  for (int i = 0; i < updates; ++i) {
    loss = run.train_step(counting(0), counting(1));
  }
  return {run.weights().fingerprint(), loss};
}

}  // namespace

TEST_CASE("a GPT has the same bits on one device and in four stages without bubbles") {
  session<trained<uncut, sequential_schedule>> alone({}, {.threads = 1});
  session<trained<in_four_stages, zb_h1>> staged(
      {}, {.threads = 3, .shared_from = 0, .poison_freed_slots = true});
  CHECK(alone.weights().size() == 3 + 4 * 16 + 3);
  const outcome found = train(staged, 4);
  CHECK(train(alone, 4) == found);
  CHECK(found.loss > 1);
}

TEST_CASE("a GPT learns to count, and no position sees those behind it") {
  session<trained<in_four_stages, zb_h1>> run({.learning_rate = 0.01F});
  CHECK(train(run, 120).loss < 0.1);
  weights_of<in_four_stages> weights;
  weights.copy_from(run.weights());
  predictor<in_four_stages, micro_batch<1>> tell(weights);
  std::vector<std::int32_t> read = {3, 4, 5, 6, 0, 1};
  std::vector<float> scores(steps * characters);
  CHECK(tell.predict(read, scores));
  read[4] = 2;
  read[5] = 6;
  std::vector<float> others(scores.size());
  CHECK(tell.predict(read, others));
  const std::size_t same = 4 * characters;
  for (std::size_t i = 0; i < same; ++i) {
    CHECK(scores[i] == others[i]);
  }
  CHECK(scores[same] != others[same]);
  const auto next = scores.begin() + 3 * characters;
  CHECK(std::max_element(next, next + characters) == next);
}
