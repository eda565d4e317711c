// SPDX-License-Identifier: MIT
// Training with the optimizers of vocabulary/optimizers/: all of them learn; those with two and
// three numbers beside each parameter have the same bits on every schedule, with any number of
// workers and with replicas; what they keep begins with what their settings say.
#include <cstdint>
#include <cstdio>
#include <string>

#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

struct net : model<input<8>, sequential<Dense<12, relu>, Dense<3>>> {};

struct staged_net : model<input<8>, pipeline<stage<Dense<12, relu>>, stage<Dense<3>>>> {};

template <typename Model, typename Optimizer, typename Schedule, int Replicas = 1>
struct training
    : compile<Model, micro_batch<8>, gradient_accumulation<4>, Schedule, replicas<Replicas>,
              mean_gradients, loss<sparse_categorical_crossentropy>, optimizer<Optimizer>> {};

template <typename Optimizer>
using simple = training<net, Optimizer, sequential_schedule>;

template <typename Compiled>
std::uint64_t trained(const typename session<Compiled>::settings& settings, int threads,
                      int micro_batches = 48) {
  session<Compiled> run(settings, {.threads = threads, .shared_from = 0});
  const point_set data = labelled_points(320, 1);
  run.fit(data | repeated(), {.steps_per_epoch = micro_batches});
  return run.weights().fingerprint();
}

/// An optimizer with options beside it, as `optimizer<...>` has it.
template <typename... Parts>
struct trained_with
    : compile<staged_net, micro_batch<8>, gradient_accumulation<4>, grouped, mean_gradients,
              loss<sparse_categorical_crossentropy>, optimizer<Parts...>> {};

/// The same update in other micro-batches.
template <int MicroBatch, int Accumulation>
struct cut : compile<net, micro_batch<MicroBatch>, gradient_accumulation<Accumulation>,
                     sequential_schedule, mean_gradients, loss<sparse_categorical_crossentropy>,
                     optimizer<lamb, clipnorm<0.1F>>> {};

/// How many runs have the same bits, one apart.
template <typename Optimizer, int Replicas>
int count_equal(const typename Optimizer::settings& settings) {
  const auto expected =
      trained<training<net, Optimizer, sequential_schedule, Replicas>>(settings, 1);
  int equal = 0;
  const auto compare = [&](std::uint64_t found) {
    CHECK(found == expected);
    equal += found == expected ? 1 : 0;
  };
  compare(trained<training<net, Optimizer, sequential_schedule, Replicas>>(settings, 3));
  for (const int threads : {1, 2, 4}) {
    compare(trained<training<staged_net, Optimizer, grouped, Replicas>>(settings, threads));
  }
  compare(trained<training<staged_net, Optimizer, interleaved, Replicas>>(settings, 2));
  return equal;
}

/// The loss behind some epochs, as part of that before them.
template <typename Optimizer>
double loss_left(const typename Optimizer::settings& settings) {
  session<simple<Optimizer>> run(settings);
  const point_set data = labelled_points(320, 1);
  const double before = run.evaluate(data).loss;
  run.fit(data | repeated(), {.steps_per_epoch = 800});
  return run.evaluate(data).loss / before;
}

/// How far one update from the same samples moves the first weight.
template <typename Optimizer>
float first_step(const typename Optimizer::settings& settings) {
  session<simple<Optimizer>> run(settings);
  const point_set data = labelled_points(32, 1);
  std::array<float, 96> kernel{};
  run.weights().get(0, kernel);
  const float before = kernel[0];
  run.train_step(data.features(), data.labels());
  run.weights().get(0, kernel);
  return std::abs(kernel[0] - before);
}

}  // namespace

TEST_CASE("every optimizer learns") {
  CHECK(loss_left<rmsprop<>>({.learning_rate = 0.01F}) < 0.5);
  CHECK(loss_left<rmsprop<momentum, centered>>({.learning_rate = 0.003F}) < 0.5);
  CHECK(loss_left<amsgrad>({.learning_rate = 0.01F}) < 0.5);
  CHECK(loss_left<adamw>({.learning_rate = 0.01F}) < 0.5);
  CHECK(loss_left<adamax>({.learning_rate = 0.01F}) < 0.5);
  CHECK(loss_left<nadam>({.learning_rate = 0.01F}) < 0.5);
  CHECK(loss_left<adagrad>({.learning_rate = 0.1F}) < 0.5);
  CHECK(loss_left<adadelta>({.learning_rate = 1, .epsilon = 1e-4F}) < 0.5);
  CHECK(loss_left<ftrl>({.learning_rate = 0.1F}) < 0.5);
  CHECK(loss_left<lion>({.learning_rate = 0.003F}) < 0.5);
  CHECK(loss_left<lamb>({.learning_rate = 0.02F}) < 0.5);
}

TEST_CASE("optimizers have the same bits on every schedule, number of threads and replicas") {
  const learning_rate_schedule falling =
      cosine_decay{.initial_learning_rate = 0.01F, .decay_steps = 10};
  int equal = 0;
  equal += count_equal<rmsprop<momentum, centered>, 2>({.learning_rate = falling});
  equal += count_equal<nadam, 1>({.learning_rate = falling});
  equal += count_equal<ftrl, 1>({.learning_rate = 0.1F, .l1_regularization_strength = 0.01F});
  equal += count_equal<adapted_optimizer<lamb, clipnorm<0.05F>>, 2>({.learning_rate = falling});
  CHECK(equal == 4 * 5);
  std::printf("optimizers: %d runs agree\n", equal);
}

TEST_CASE("options beside an optimizer do what they say, and nothing else") {
  const std::uint64_t as_adamw =
      trained<trained_with<adamw>>({.learning_rate = 0.01F, .weight_decay = 0.25F}, 2);
  CHECK(trained<trained_with<adam, weight_decay<0.25F>>>({.learning_rate = 0.01F}, 2) == as_adamw);
  const std::uint64_t plain = trained<trained_with<adam>>({.learning_rate = 0.01F}, 2);
  CHECK(plain != as_adamw);
  CHECK(trained<trained_with<adam, clipvalue<1e6F>>>({.learning_rate = 0.01F}, 1) == plain);
  CHECK(trained<trained_with<adam, clipvalue<1e-3F>>>({.learning_rate = 0.01F}, 1) != plain);
}

TEST_CASE("updates by norms have the same bits however micro-batches are cut") {
  const lamb_settings settings{.learning_rate = 0.01F, .weight_decay = 0.1F};
  const std::uint64_t expected = trained<cut<8, 4>>(settings, 1);
  int equal = 0;
  equal += trained<cut<4, 8>>(settings, 1, 96) == expected ? 1 : 0;
  equal += trained<cut<16, 2>>(settings, 2, 24) == expected ? 1 : 0;
  equal += trained<cut<32, 1>>(settings, 1, 12) == expected ? 1 : 0;
  CHECK(equal == 3);
}

TEST_CASE("clipping by norm does what it says, and nothing else") {
  const std::uint64_t plain = trained<trained_with<adam>>({.learning_rate = 0.01F}, 2);
  // Apart from the weight gradient, with the same bits.
  CHECK(trained<trained_with<adam, clipnorm<1e6F>>>({.learning_rate = 0.01F}, 2) == plain);
  CHECK(trained<trained_with<adam, clipnorm<1e-3F>>>({.learning_rate = 0.01F}, 2) != plain);
}

TEST_CASE("what is kept begins with what the settings say") {
  // rate g / (sqrt(a + g^2) + epsilon): with nothing before, all of the rate.
  const float from_zero =
      first_step<adagrad>({.learning_rate = 0.01F, .initial_accumulator_value = 0});
  CHECK(from_zero == Approx(0.01).epsilon(1e-3));
  const float by_default = first_step<adagrad>({.learning_rate = 0.01F});
  CHECK(by_default < 0.9F * from_zero);
  const float from_much =
      first_step<adagrad>({.learning_rate = 0.01F, .initial_accumulator_value = 1e6F});
  CHECK(from_much > 0);
  CHECK(from_much < 1e-3F * from_zero);
}

TEST_CASE("each block of an update with three numbers beside a parameter is what is declared") {
  const tile_check three = check_tiles<simple<rmsprop<momentum, centered>>>(ipu2);
  CHECK(three.fault == "");
  CHECK(three.count.blocks > 0);
  const tile_check beginning = check_tiles<training<staged_net, adagrad, grouped, 2>>(ipu2);
  CHECK(beginning.fault == "");
  CHECK(beginning.count.blocks > 0);
}

TEST_CASE("each block of an update by norms is what is declared") {
  const tile_check norms = check_tiles<simple<lamb>>(ipu2);
  CHECK(norms.fault == "");
  CHECK(norms.count.blocks > 0);
  const tile_check staged =
      check_tiles<training<staged_net, adapted_optimizer<lamb, clipnorm<0.05F>>, grouped, 2>>(ipu2);
  CHECK(staged.fault == "");
  CHECK(staged.count.blocks > 0);
}
