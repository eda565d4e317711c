// SPDX-License-Identifier: MIT
// Tests of training/adapt.hpp, and of Normalization in a model: what it makes of data, that no
// update moves it, the bits of a frozen BatchNormalization and of any cut.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include <ipu_dsl/exchange/weights_by_name.hpp>
#include <ipu_dsl/formats/npz.hpp>
#include <ipu_dsl/training/adapt.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

struct alone : model<input<2, 3>, named<"scaled", Normalization<>>> {};

struct shown : compile<alone, micro_batch<4>> {};

using frozen_statistics =
    frozen<BatchNormalization<epsilon<1e-14F>, use_scale<false>, use_center<false>>>;

template <typename Scaled, typename Inner>
using body = sequential<named<"scaled", Scaled>, named<"first", Dense<5>>, named<"inner", Inner>,
                        hyperbolic_tangent, Flatten, Dense<1>>;

struct net : model<input<2, 3>, body<Normalization<>, Normalization<>>> {};

struct batch_net : model<input<2, 3>, body<frozen_statistics, frozen_statistics>> {};

struct cut_net
    : model<input<2, 3>, pipeline<stage<named<"scaled", Normalization<>>, named<"first", Dense<5>>>,
                                  stage<named<"inner", Normalization<>>, hyperbolic_tangent>,
                                  stage<Flatten, Dense<1>>>> {};

template <typename Model, typename Schedule>
struct trained : compile<Model, Schedule, micro_batch<4>, gradient_accumulation<6>,
                         loss<mean_squared_error>, optimizer<sgd<momentum>>> {};

constexpr std::size_t samples = 48;

/// Features far from 0 and from each other in size; the third never changes.
std::vector<float> some_numbers() {
  std::vector<float> made(samples * 2 * 3);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto wave = std::sin(0.7 * static_cast<double>(i) + 0.01 * static_cast<double>(i * i));
    const double values[] = {1000.0 + 3.0 * wave, -0.02 * wave, 5.0};
    made[i] = static_cast<float>(values[i % 3]);
  }
  return made;
}

std::vector<float> some_targets() {
  std::vector<float> made(samples);
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = static_cast<float>(std::cos(static_cast<double>(i)));
  }
  return made;
}

double feature_mean(const std::vector<float>& numbers, std::size_t feature, int power,
                    double from) {
  double sum = 0;
  for (std::size_t i = feature; i < numbers.size(); i += 3) {
    sum += std::pow(static_cast<double>(numbers[i]) - from, power);
  }
  return sum * 3 / static_cast<double>(numbers.size());
}

/// Moves what a layer of the middle knows off 0 and 1, so that its gradient is no copy.
template <typename Run>
void set_inner(Run& run, const char* mean, const char* variance) {
  run.weights().set(mean, std::vector<float>{0.5F, -0.25F, 0.125F, 1.0F, 2.0F});
  run.weights().set(variance, std::vector<float>{4.0F, 0.25F, 2.0F, 1.0F, 0.5F});
}

template <typename Training>
std::vector<float> kernels_after_updates(bool of_batch, int threads) {
  session<Training> run{{.learning_rate = 0.01F}, {.threads = threads, .shared_from = 0}};
  const std::vector<float> numbers = some_numbers();
  if (of_batch) {
    session<trained<net, sequential_schedule>> source;
    adapt(source.weights(), "scaled", numbers);
    std::vector<float> values(3);
    source.weights().get("scaled/mean", values);
    run.weights().set("scaled/moving_mean", values);
    source.weights().get("scaled/variance", values);
    run.weights().set("scaled/moving_variance", values);
    set_inner(run, "inner/moving_mean", "inner/moving_variance");
  } else {
    adapt(run.weights(), "scaled", numbers);
    set_inner(run, "inner/mean", "inner/variance");
  }
  run.fit(numbers, some_targets(), {.epochs = 3});
  std::vector<float> kept(3 * 5);
  run.weights().get("first/kernel", kept);
  std::vector<float> variance(5);
  run.weights().get(of_batch ? "inner/moving_variance" : "inner/variance", variance);
  kept.insert(kept.end(), variance.begin(), variance.end());
  return kept;
}

}  // namespace

TEST_CASE("adapt takes mean and variance of every feature, and the layer normalises by them") {
  session<shown> of_data;
  const std::vector<float> numbers = some_numbers();
  adapt(of_data.weights(), "scaled", numbers);
  std::vector<float> mean(3);
  std::vector<float> variance(3);
  of_data.weights().get("scaled/mean", mean);
  of_data.weights().get("scaled/variance", variance);
  std::vector<float> made(numbers.size());
  of_data.predict(numbers, made);
  int checked = 0;
  for (std::size_t feature = 0; feature < 3; ++feature) {
    const double expected = feature_mean(numbers, feature, 1, 0);
    const double spread = feature_mean(numbers, feature, 2, expected);
    CHECK(mean[feature] == static_cast<float>(expected));
    CHECK(std::fabs(static_cast<double>(variance[feature]) - spread) <= 1e-6 * spread);
    for (std::size_t i = feature; i < numbers.size(); i += 3) {
      const double wanted = (static_cast<double>(numbers[i]) - static_cast<double>(mean[feature])) /
                            std::fmax(std::sqrt(static_cast<double>(variance[feature])), 1e-7);
      CHECK(std::fabs(static_cast<double>(made[i]) - wanted) <= 1e-5);
      ++checked;
    }
  }
  CHECK(variance[2] == 0.0F);
  CHECK(checked > 0);
  std::printf("adapt: checked %d normalised numbers\n", checked);
}

TEST_CASE("a Normalization trains with the bits of a frozen BatchNormalization and of any cut") {
  const std::vector<float> found =
      kernels_after_updates<trained<net, sequential_schedule>>(false, 1);
  CHECK(found == kernels_after_updates<trained<batch_net, sequential_schedule>>(true, 1));
  CHECK(found == kernels_after_updates<trained<cut_net, interleaved>>(false, 1));
  CHECK(found == kernels_after_updates<trained<cut_net, grouped>>(false, 2));
  const std::vector<float> variance(found.end() - 5, found.end());
  CHECK(variance == std::vector<float>{4.0F, 0.25F, 2.0F, 1.0F, 0.5F});
}

TEST_CASE("adapt refuses what is no data of the layer, and changes nothing then") {
  session<shown> of_data;
  const std::uint64_t before = of_data.weights().fingerprint();
  const std::vector<float> four(4, 1.0F);
  CHECK(tests::sentence_of([&] { adapt(of_data.weights(), "scaled", four); }) ==
        "adapt takes rows of 3 features, at least one, got 4 numbers.");
  CHECK(tests::sentence_of([&] { adapt(of_data.weights(), "scaled", {}); }) ==
        "adapt takes rows of 3 features, at least one, got 0 numbers.");
  const std::vector<float> infinite = {1.0F, 2.0F, std::numeric_limits<float>::infinity()};
  CHECK(tests::sentence_of([&] { adapt(of_data.weights(), "scaled", infinite); }) ==
        "adapt takes finite numbers, got another at place 2.");
  const std::vector<float> apart = {1.0F, 1e30F, 3.0F, 1.0F, -1e30F, 3.0F};
  CHECK(tests::sentence_of([&] { adapt(of_data.weights(), "scaled", apart); }) ==
        "The variance of feature 1 is beyond float; adapt takes smaller numbers.");
  CHECK(tests::sentence_of([&] { adapt(of_data.weights(), "scale", infinite); }).find("scale") !=
        std::string::npos);
  CHECK(of_data.weights().fingerprint() == before);
}

TEST_CASE("a variance below 0 is refused wherever it comes from, and changes nothing") {
  const tests::temporary_directory folder;
  const std::string path = folder / "weights.npz";
  session<shown> run;
  save_weights(run.weights(), path);
  std::vector<npz_entry> entries = read_npz(path);
  int changed = 0;
  for (npz_entry& entry : entries) {
    if (entry.name == "scaled/variance") {
      // The sign of the last float.
      entry.array.bytes.back() |= 0x80;
      ++changed;
    }
  }
  CHECK(changed == 1);
  write_npz(path, entries);
  const std::uint64_t before = run.weights().fingerprint();
  const std::string sentence =
      "Value 2 of scaled/variance of " + path + " is below 0; expected a variance.";
  CHECK(tests::sentence_of([&] { load_weights(run.weights(), path); }) == sentence);
  CHECK(tests::sentence_of([&] { load_by_name(run.weights(), path); }) == sentence);
  CHECK(tests::sentence_of([&] {
          run.weights().set("scaled/variance", std::vector<float>{1, 2, -3});
        }) == "Value 2 of scaled/variance is below 0; expected a variance.");
  CHECK(run.weights().fingerprint() == before);
}
