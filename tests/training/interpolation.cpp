// SPDX-License-Identifier: MIT
// Bilinear UpSampling2D in a model: values and gradients against a float64 forward and central
// differences of it, the same bits however a batch is cut, and tile by tile.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"

using namespace ipu_dsl;

namespace {

constexpr std::size_t samples = 4;
constexpr std::size_t inputs = 5;
constexpr std::size_t classes = 3;

/// Images (2, 3, 2) become (4, 9, 2): a factor that is even and one that is odd.
struct enlarged : model<input<5>, sequential<Dense<12, hyperbolic_tangent>, Reshape<2, 3, 2>,
                                             UpSampling2D<2, 3, bilinear>, Flatten, Dense<3>>> {};

template <int Samples>
struct training : compile<enlarged, micro_batch<Samples>,
                          gradient_accumulation<static_cast<int>(samples) / Samples>,
                          mean_gradients, loss<sparse_categorical_crossentropy>> {};

using numbers = std::vector<double>;

numbers dense(const numbers& x, const numbers& kernel, const numbers& bias) {
  numbers y = bias;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t n = 0; n < y.size(); ++n) {
      y[n] += x[i] * kernel[i * y.size() + n];
    }
  }
  return y;
}

double weight_of(int count, int factor, int o, int i) {
  const double at = std::fmin(std::fmax((o + 0.5) / factor - 0.5, 0.0), count - 1.0);
  return std::fmax(0.0, 1.0 - std::abs(at - i));
}

numbers scores_of(const numbers& x, const std::vector<numbers>& weights) {
  const numbers image = dense(x, weights[0], weights[1]);
  numbers larger(72, 0.0);
  for (int o = 0; o < 72; ++o) {
    for (int i = 0; i < 12; ++i) {
      if (o % 2 == i % 2) {
        larger[static_cast<std::size_t>(o)] += weight_of(2, 2, o / 18, i / 6) *
                                               weight_of(3, 3, o / 2 % 9, i / 2 % 3) *
                                               std::tanh(image[static_cast<std::size_t>(i)]);
      }
    }
  }
  return dense(larger, weights[2], weights[3]);
}

numbers row_of(const std::vector<float>& features, std::size_t sample) {
  const auto first = features.begin() + static_cast<std::ptrdiff_t>(sample * inputs);
  return {first, first + static_cast<std::ptrdiff_t>(inputs)};
}

double loss_of(const std::vector<float>& features, const std::vector<std::int32_t>& labels,
               const std::vector<numbers>& weights) {
  double total = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const numbers scores = scores_of(row_of(features, i), weights);
    double sum = 0;
    for (const double score : scores) {
      sum += std::exp(score);
    }
    total += std::log(sum) - scores[static_cast<std::size_t>(labels[i])];
  }
  return total / static_cast<double>(samples);
}

template <typename Compiled>
std::vector<numbers> set_weights(session<Compiled>& run) {
  std::vector<numbers> made;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    const auto count = static_cast<std::size_t>(run.weights().at(i).extents.elements());
    const std::vector<float> drawn = reference::numbers(count, 51 + i, i < 2 ? 0.5F : 0.2F);
    run.weights().set(i, drawn);
    made.emplace_back(drawn.begin(), drawn.end());
  }
  return made;
}

std::vector<float> drawn_features() {
  return reference::numbers(samples * inputs, 12, 1.5F);
}

std::vector<std::int32_t> drawn_labels() {
  return reference::labels(samples, 14, classes);
}

template <typename Compiled>
std::uint64_t weights_after(int threads) {
  session<Compiled> run({.learning_rate = 0.25F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  set_weights(run);
  for (int i = 0; i < 3; ++i) {
    run.train_step(drawn_features(), drawn_labels());
  }
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("an image with more pixels, and its gradient, are what float64 says") {
  constexpr float rate = 0x1p20F;
  session<training<4>> run{{.learning_rate = rate}};
  std::vector<numbers> weights = set_weights(run);
  REQUIRE(weights.size() == 4);
  const std::vector<float> features = drawn_features();
  const std::vector<std::int32_t> labels = drawn_labels();
  std::vector<float> scores(samples * classes);
  run.predict(features, scores);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const numbers expected = scores_of(row_of(features, i / classes), weights);
    CHECK(std::abs(static_cast<double>(scores[i]) - expected[i % classes]) < 2e-6);
  }
  run.train_step(features, labels);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    INFO(run.weights().name(i));
    std::vector<float> after(weights[i].size());
    run.weights().get(i, after);
    double largest = 0;
    double worst = 0;
    for (std::size_t j = 0; j < after.size(); ++j) {
      constexpr double step = 0x1p-17;
      const double value = weights[i][j];
      weights[i][j] = value + step;
      const double above = loss_of(features, labels, weights);
      weights[i][j] = value - step;
      const double below = loss_of(features, labels, weights);
      weights[i][j] = value;
      const double expected = (above - below) / (2 * step);
      const double found = (value - static_cast<double>(after[j])) / static_cast<double>(rate);
      worst = std::fmax(worst, std::abs(found - expected));
      largest = std::fmax(largest, std::abs(expected));
      ++compared;
    }
    CHECK(largest > 0);
    // Sums of some seventy products of float32.
    CHECK(worst < 70 * 0x1p-23 * largest + 2e-9);
  }
  CHECK(compared > 200);
  std::printf("gradients of an image with more pixels: compared %zu elements\n", compared);
}

TEST_CASE("an image with more pixels has the same bits however a batch is cut") {
  const std::uint64_t expected = weights_after<training<4>>(1);
  CHECK(weights_after<training<4>>(3) == expected);
  CHECK(weights_after<training<2>>(2) == expected);
}

TEST_CASE("blocks of an image with more pixels have the bits of the session") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 4, 64, 1472}) {
    machine_target target = ipu2;
    target.tiles = tiles;
    const tile_check found = check_tiles<training<4>>(target, {.updates = 2, .most_blocks = 9});
    CHECK(found.fault == "");
    blocks += found.count.blocks;
  }
  CHECK(blocks > 0);
}
