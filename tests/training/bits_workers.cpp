// SPDX-License-Identifier: MIT
// The same numbers however many workers share the devices: one for several, one each, teams.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;

namespace {

struct one_stage
    : model<input<8>,
            sequential<Dense<40, hyperbolic_tangent>, Dropout<0.25F>, residual<Dense<40, relu>>,
                       concat<Dense<9, sigmoid>, Dense<7, gelu>>, Dense<19, softmax>, Dense<3>>> {};

struct two_stages
    : model<input<8>,
            pipeline<
                stage<Dense<40, hyperbolic_tangent>, Dropout<0.25F>, residual<Dense<40, relu>>>,
                stage<concat<Dense<9, sigmoid>, Dense<7, gelu>>, Dense<19, softmax>, Dense<3>>>> {};

template <typename Model, typename Schedule, int MicroBatches, int Replicas,
          typename Optimizer = sgd<momentum>>
struct training : compile<Model, Schedule, micro_batch<7>, gradient_accumulation<MicroBatches>,
                          replicas<Replicas>, mean_gradients, loss<sparse_categorical_crossentropy>,
                          optimizer<Optimizer>> {};

const tests::point_set& points() {
  static const tests::point_set made = tests::labelled_points(640, 5);
  return made;
}

struct outcome {
  std::vector<float> weights;
  std::vector<float> losses;
  double test_loss = 0;

  friend bool operator==(const outcome&, const outcome&) = default;
};

/// After 6 updates of 8 micro-batches, from equal weights and data.
template <typename Compiled>
outcome train(int threads, bool poison = false, std::int64_t shared_from = 0) {
  session<Compiled> run(
      {.learning_rate = 0.2F},
      {.threads = threads, .shared_from = shared_from, .poison_freed_slots = poison});
  auto feed = make_feed(points() | repeated(), 3);
  const auto losses = run.fit(feed, {.steps_per_epoch = 48}).losses();
  outcome found;
  found.losses.assign(losses.begin(), losses.end());
  found.test_loss = run.evaluate(points()).loss;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(run.weights().at(i).extents.elements()));
    run.weights().get(i, values);
    found.weights.insert(found.weights.end(), values.begin(), values.end());
  }
  return found;
}

int compared = 0;

template <typename Compiled>
void compare_workers(const outcome& expected, std::initializer_list<int> threads) {
  for (const int workers : threads) {
    // Teams that prepare slots begin every step together; others run ahead of each other.
    for (const bool poison : {false, true}) {
      INFO(workers << " workers, " << (poison ? "poisoned slots" : "plain slots"));
      CHECK(train<Compiled>(workers, poison) == expected);
      ++compared;
    }
    // Of a layer of 40 units the products are shared, and what is smaller is done by one of them.
    CHECK(train<Compiled>(workers, false, 10'000) == expected);
    ++compared;
  }
}

}  // namespace

TEST_CASE("the bits do not depend on how many workers share the devices") {
  compared = 0;
  const outcome expected = train<training<one_stage, sequential_schedule, 8, 1>>(1);
  REQUIRE(expected.losses.size() == 48);
  compare_workers<training<one_stage, sequential_schedule, 8, 1>>(expected, {2, 3, 5});
  compare_workers<training<two_stages, grouped, 8, 1>>(expected, {1, 2, 3, 4, 7});
  compare_workers<training<two_stages, interleaved, 8, 1>>(expected, {2, 6});
  compare_workers<training<two_stages, zb_h1, 8, 1>>(expected, {2, 4});
  CHECK(compared == 36);
  std::printf("checked %d ways to share devices, %zu weights each\n", compared,
              expected.weights.size());
}

TEST_CASE("the bits of replicas do not depend on workers, schedules and stages") {
  compared = 0;
  const outcome expected = train<training<one_stage, sequential_schedule, 4, 2>>(1);
  REQUIRE(expected.losses.size() == 48);
  compare_workers<training<one_stage, sequential_schedule, 4, 2>>(expected, {2, 3, 4});
  compare_workers<training<two_stages, grouped, 4, 2>>(expected, {1, 2, 3, 4, 8});
  compare_workers<training<two_stages, interleaved, 4, 2>>(expected, {2, 4, 9});
  CHECK(compared == 33);
  std::printf("checked %d ways to share the devices of replicas\n", compared);
}

TEST_CASE("replicas compute what one model does, but for the order of their sums") {
  const outcome one = train<training<one_stage, sequential_schedule, 8, 1>>(1);
  const outcome two = train<training<one_stage, sequential_schedule, 4, 2>>(2);
  const outcome four = train<training<one_stage, sequential_schedule, 2, 4>>(2);
  REQUIRE(one.weights.size() == two.weights.size());
  // The first update's forward passes see equal weights.
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(one.losses[i] == two.losses[i]);
    CHECK(one.losses[i] == four.losses[i]);
  }
  float largest = 0;
  int checked = 0;
  for (std::size_t i = 0; i < one.weights.size(); ++i) {
    largest = std::max(largest, std::fabs(one.weights[i] - two.weights[i]));
    largest = std::max(largest, std::fabs(one.weights[i] - four.weights[i]));
    ++checked;
  }
  // Six updates of 56 samples, whose gradients differ in the last bits of their sums.
  CHECK(largest < 1e-5F);
  CHECK(largest > 0.0F);
  CHECK(checked > 1000);
  std::printf("replicas: checked %d weights, largest difference %g\n", checked,
              static_cast<double>(largest));
}

TEST_CASE("an epoch of replicas is a whole number of their updates") {
  session<training<one_stage, sequential_schedule, 4, 2>> run({.learning_rate = 0.2F});
  auto feed = make_feed(points() | repeated(), 3);
  CHECK(tests::sentence_of([&] {
          run.fit(feed, {.steps_per_epoch = 12});
        }).find("no multiple of the 8 micro-batches") != std::string::npos);
}
