// SPDX-License-Identifier: MIT
// The same numbers with one, two and three stages, under every schedule, and however a batch is cut
// into micro-batches.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/restaged.hpp>
#include <ipu_dsl/model/split_at.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

struct one_stage
    : model<input<28, 28>,
            sequential<Flatten, Dense<48, relu>, Dense<32, relu>, Dense<32, relu>, Dense<10>>> {};

struct two_stages
    : model<input<28, 28>, pipeline<stage<Flatten, Dense<48, relu>>,
                                    stage<Dense<32, relu>, Dense<32, relu>, Dense<10>>>> {};

struct three_stages : split_at<one_stage, "dense_1", "dense_2"> {};

/// Two ways side by side, whose calls alternate.
struct two_towers {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor flat = build.layer<Flatten>("left_0", build.input({28, 28}));
    const symbolic_tensor right = build.layer<Dense<24, relu>>("right_1", flat);
    const symbolic_tensor left = build.layer<Dense<24, relu>>("left_1", flat);
    const symbolic_tensor wide = build.layer<Dense<24>>("right_2", right);
    const symbolic_tensor narrow = build.layer<Dense<24>>("left_2", left);
    const symbolic_tensor sum = build.layer<Add>("right_3", wide, narrow);
    return build.layer<Dense<10>>("right_4", sum);
  }
};

/// The left way in the first stage, though the other is called before it.
struct left_first : restaged<two_towers> {
  static constexpr void assign(std::span<layer_stage> layers) {
    for (layer_stage& each : layers) {
      each.stage = each.name.starts_with("left") ? 0 : 1;
    }
  }
};

template <typename Model, typename Schedule, int Samples, int MicroBatches, typename Reduction>
struct training
    : compile<Model, Schedule, micro_batch<Samples>, gradient_accumulation<MicroBatches>, Reduction,
              loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

struct outcome {
  std::uint64_t weights = 0;
  std::vector<float> losses;

  friend bool operator==(const outcome&, const outcome&) = default;
};

const digit_dataset& digits() {
  static const digit_dataset made = synthetic_digits(1'000, 9);
  return made;
}

template <typename Compiled>
outcome train(int threads, std::int64_t steps) {
  session<Compiled> run({.learning_rate = 0.05F, .momentum = 0.9F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  auto feed = make_feed(digits() | shuffled(500) | repeated(), 3);
  const auto losses = run.fit(feed, {.steps_per_epoch = steps}).losses();
  return {run.weights().fingerprint(), {losses.begin(), losses.end()}};
}

/// 12 micro-batches of 16 suit the rules of every schedule with three stages.
template <typename Model, typename Schedule>
int compare_stages(const outcome& expected, int most_threads) {
  int compared = 0;
  for (int threads = 1; threads <= most_threads; ++threads) {
    const outcome found = train<training<Model, Schedule, 16, 12, sum_gradients>>(threads, 48);
    CHECK(found.weights == expected.weights);
    CHECK(found == expected);
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("one, two and three stages give the same bits under every schedule") {
  const outcome expected =
      train<training<one_stage, sequential_schedule, 16, 12, sum_gradients>>(1, 48);
  REQUIRE(expected.losses.size() == 48);
  CHECK(expected.losses.back() < expected.losses.front());
  const int compared = compare_stages<two_stages, grouped>(expected, 2) +
                       compare_stages<three_stages, grouped>(expected, 3) +
                       compare_stages<three_stages, interleaved>(expected, 3) +
                       compare_stages<three_stages, sequential_schedule>(expected, 3);
  CHECK(compared == 11);
  std::printf("bits: compared %d combinations of stages, schedule and threads\n", compared);
}

TEST_CASE("layers that are given other stages by their names have the same bits") {
  const outcome expected =
      train<training<two_towers, sequential_schedule, 16, 12, sum_gradients>>(1, 48);
  REQUIRE(expected.losses.size() == 48);
  CHECK(expected.losses.back() < expected.losses.front());
  CHECK(compare_stages<left_first, grouped>(expected, 2) == 2);
}
