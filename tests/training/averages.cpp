// SPDX-License-Identifier: MIT
// Moving averages of weights: what they are, how a session works on them, how they are saved.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

struct net
    : model<input<8>, pipeline<stage<Dense<12, relu>>, stage<BatchNormalization<>, Dense<3>>>> {};

template <typename Schedule, int Replicas, typename... Parts>
struct training_with
    : compile<net, micro_batch<8>, gradient_accumulation<4>, Schedule, replicas<Replicas>,
              loss<sparse_categorical_crossentropy>, optimizer<Parts...>> {};

using averaging = training_with<grouped, 1, adam, moving_average<0.75F>>;
using plain = training_with<grouped, 1, adam>;

std::vector<float> all_weights(const parameters& weights) {
  std::vector<float> all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t begin = all.size();
    all.resize(begin + static_cast<std::size_t>(weights.at(i).extents.elements()));
    weights.get(i, {all.data() + begin, all.size() - begin});
  }
  return all;
}

/// By number in `all_weights`, whether it learns.
std::vector<bool> learned(const parameters& weights) {
  std::vector<bool> all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    all.insert(all.end(), static_cast<std::size_t>(weights.at(i).extents.elements()),
               weights.at(i).trainable);
  }
  return all;
}

template <typename Training>
std::uint64_t averages_of(int threads) {
  session<Training> run({.learning_rate = 0.01F}, {.threads = threads, .shared_from = 0});
  const point_set data = labelled_points(320, 1);
  run.fit(data | repeated(), {.steps_per_epoch = 48});
  const auto averaged = run.averaged_weights();
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("the averages are those of the weights after each update") {
  session<averaging> run({.learning_rate = 0.01F});
  const point_set data = labelled_points(320, 1);
  std::vector<float> expected;
  const std::vector<bool> learns = learned(run.weights());
  int compared = 0;
  for (std::size_t update = 0; update < 10; ++update) {
    run.train_step(data.features().subspan(update * 32 * 8, 32 * 8),
                   data.labels().subspan(update * 32, 32));
    const std::vector<float> now = all_weights(run.weights());
    expected.resize(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      expected[i] =
          update == 0 || !learns[i] ? now[i] : std::fma(0.25F, now[i], 0.75F * expected[i]);
    }
    {
      const auto averaged = run.averaged_weights();
      CHECK(all_weights(run.weights()) == expected);
      compared += static_cast<int>(expected.size());
    }
    CHECK(all_weights(run.weights()) == now);
  }
  CHECK(compared == 10 * (8 * 12 + 12 + 4 * 12 + 12 * 3 + 3));
  std::printf("averages: compared %d numbers\n", compared);
}

TEST_CASE("averages change no weight, and have the same bits on every schedule") {
  session<averaging> averages({.learning_rate = 0.01F});
  session<plain> without({.learning_rate = 0.01F});
  const point_set data = labelled_points(320, 1);
  averages.fit(data | repeated(), {.steps_per_epoch = 48});
  without.fit(data | repeated(), {.steps_per_epoch = 48});
  CHECK(averages.weights().fingerprint() == without.weights().fingerprint());
  const std::uint64_t expected = averages_of<averaging>(1);
  CHECK(expected != without.weights().fingerprint());
  CHECK(averages_of<averaging>(4) == expected);
  CHECK(averages_of<training_with<interleaved, 1, adam, moving_average<0.75F>>>(2) == expected);
  CHECK(averages_of<training_with<sequential_schedule, 1, adam, moving_average<0.75F>>>(1) ==
        expected);
  const std::uint64_t of_two =
      averages_of<training_with<grouped, 2, lamb, clipnorm<0.1F>, moving_average<0.75F>>>(1);
  CHECK(averages_of<training_with<interleaved, 2, lamb, clipnorm<0.1F>, moving_average<0.75F>>>(
            4) == of_two);
}

TEST_CASE("evaluate, predict and save work on the averages as long as they are asked for") {
  const std::string path = "averaged_weights.npz";
  session<averaging> run({.learning_rate = 0.05F});
  const point_set data = labelled_points(320, 1);
  run.fit(data | repeated(), {.steps_per_epoch = 48});
  const double loss = run.evaluate(data).loss;
  double of_averages = 0;
  std::vector<float> scores(32 * 3);
  {
    const auto averaged = run.averaged_weights();
    of_averages = run.evaluate(data).loss;
    run.predict(data.features().first(32 * 8), scores);
    run.save(path);
  }
  CHECK(of_averages != loss);
  CHECK(run.evaluate(data).loss == loss);
  session<plain> loaded;
  loaded.load(path);
  CHECK(loaded.evaluate(data).loss == of_averages);
  std::vector<float> again(scores.size());
  loaded.predict(data.features().first(32 * 8), again);
  CHECK(again == scores);
  std::remove(path.c_str());
}

TEST_CASE("weights that are set while they are averages are the averages") {
  session<averaging> run({.learning_rate = 0.01F});
  const point_set data = labelled_points(320, 1);
  run.fit(data | repeated(), {.steps_per_epoch = 48});
  const std::uint64_t before = run.weights().fingerprint();
  std::uint64_t set = 0;
  {
    const auto averaged = run.averaged_weights();
    std::vector<float> first(8 * 12, 0.5F);
    run.weights().set(0, first);
    set = run.weights().fingerprint();
  }
  CHECK(run.weights().fingerprint() == before);
  const auto averaged = run.averaged_weights();
  CHECK(run.weights().fingerprint() == set);
}

TEST_CASE("averages are saved by name, and go on") {
  const std::string path = "averaged_training.npz";
  const point_set data = labelled_points(320, 1);
  session<averaging> unbroken({.learning_rate = 0.01F});
  unbroken.fit(data | repeated(), {.epochs = 2, .steps_per_epoch = 40});
  session<averaging> first({.learning_rate = 0.01F});
  first.fit(data | repeated(), {.steps_per_epoch = 40});
  first.save_training(path);
  session<averaging> resumed({.learning_rate = 0.01F});
  resumed.load_training(path);
  resumed.fit(data | repeated(), {.steps_per_epoch = 40});
  const auto expected = unbroken.averaged_weights();
  const auto found = resumed.averaged_weights();
  CHECK(resumed.weights().fingerprint() == unbroken.weights().fingerprint());
  std::remove(path.c_str());
}

TEST_CASE("what cannot be done with averages is refused before anything changes") {
  session<averaging> run;
  const point_set data = labelled_points(320, 1);
  CHECK(sentence_of([&] { const auto none = run.averaged_weights(); }) ==
        "There are no moving averages of the weights before the first update.");
  run.fit(data | repeated(), {.steps_per_epoch = 8});
  const std::uint64_t before = run.weights().fingerprint();
  {
    const auto averaged = run.averaged_weights();
    const auto refused = [](const char* wanted) {
      return "The weights are their moving averages, so that " + std::string(wanted) +
             " has to wait until the scope of averaged_weights ends.";
    };
    CHECK(sentence_of([&] { run.fit(data | repeated(), {.steps_per_epoch = 8}); }) ==
          refused("fit"));
    CHECK(sentence_of([&] {
            run.train_step(data.features().first(32 * 8), data.labels().first(32));
          }) == refused("training"));
    CHECK(sentence_of([&] { run.save_training("refused.npz"); }) == refused("save_training"));
    CHECK(sentence_of([&] { run.load_training("refused.npz"); }) == refused("load_training"));
    CHECK(sentence_of([&] { const auto twice = run.averaged_weights(); }) ==
          refused("averaged_weights"));
  }
  CHECK(run.weights().fingerprint() == before);
}

TEST_CASE("each block of an update that ends with averages is what is declared") {
  const tile_check fused =
      check_tiles<training_with<sequential_schedule, 1, adam, moving_average<0.75F>>>(ipu2);
  CHECK(fused.fault == "");
  CHECK(fused.count.blocks > 0);
}
