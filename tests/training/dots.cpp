// SPDX-License-Identifier: MIT
// Dot in a model: values and gradients against a float64 forward and central differences of it, the
// same bits on any number of workers, however a batch is cut, and tile by tile.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"

using namespace ipu_dsl;

namespace {

/// Products of matrices, plain and as cosines, along the last axis and along others, and the cosine
/// of two vectors.
struct multiplied {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({6});
    const symbolic_tensor a =
        build.layer<Reshape<3, 5>>("", build.layer<Dense<15, hyperbolic_tangent>>("a", x));
    const symbolic_tensor b =
        build.layer<Reshape<5, 2>>("", build.layer<Dense<10, softsign>>("b", x));
    const symbolic_tensor c = build.layer<Dense<5>>("c", x);
    const symbolic_tensor plain = build.layer<Dot<2, 1>>("", a, b);
    const symbolic_tensor cosines = build.layer<Dot<-1, 1, l2_normalize<true>>>("", a, b);
    const symbolic_tensor rows = build.layer<Dot<1, 2>>("", b, a);
    const symbolic_tensor cosine =
        build.layer<Dot<1, 1, l2_normalize<true>>>("", c, build.layer<Dense<5>>("d", x));
    return build.layer<Dense<3>>("scores",
                                 build.layer<Concatenate>("", build.layer<Flatten>("", plain),
                                                          build.layer<Flatten>("", cosines),
                                                          build.layer<Flatten>("", rows), cosine));
  }
};

constexpr std::size_t samples = 4;
constexpr std::size_t inputs = 6;
constexpr std::size_t classes = 3;

template <int Samples>
struct training : compile<multiplied, micro_batch<Samples>,
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

/// Product or cosine of the rows at `a` and `b`, of five numbers.
double product(const double* a, std::size_t a_stride, const double* b, std::size_t b_stride,
               bool is_cosine) {
  double sum = 0;
  double lengths[2] = {0, 0};
  for (std::size_t k = 0; k < 5; ++k) {
    sum += a[k * a_stride] * b[k * b_stride];
    lengths[0] += a[k * a_stride] * a[k * a_stride];
    lengths[1] += b[k * b_stride] * b[k * b_stride];
  }
  return is_cosine ? sum / std::sqrt(lengths[0] * lengths[1]) : sum;
}

numbers scores_of(const numbers& x, const std::vector<numbers>& weights) {
  numbers a = dense(x, weights[0], weights[1]);
  numbers b = dense(x, weights[2], weights[3]);
  for (double& value : a) {
    value = std::tanh(value);
  }
  for (double& value : b) {
    value /= 1 + std::abs(value);
  }
  numbers all;
  for (const bool is_cosine : {false, true}) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        all.push_back(product(&a[5 * i], 1, &b[j], 2, is_cosine));
      }
    }
  }
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t i = 0; i < 3; ++i) {
      all.push_back(product(&a[5 * i], 1, &b[j], 2, false));
    }
  }
  const numbers c = dense(x, weights[4], weights[5]);
  const numbers d = dense(x, weights[6], weights[7]);
  all.push_back(product(c.data(), 1, d.data(), 1, true));
  return dense(all, weights[8], weights[9]);
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
    const std::vector<float> drawn = reference::numbers(count, 51 + i, 0.5F);
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

TEST_CASE("products and cosines of rows, and their gradients, are what float64 says") {
  constexpr float rate = 0x1p20F;
  session<training<4>> run{{.learning_rate = rate}};
  std::vector<numbers> weights = set_weights(run);
  REQUIRE(weights.size() == 10);
  const std::vector<float> features = drawn_features();
  const std::vector<std::int32_t> labels = drawn_labels();
  std::vector<float> scores(samples * classes);
  run.predict(features, scores);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const numbers expected = scores_of(row_of(features, i / classes), weights);
    CHECK(std::abs(static_cast<double>(scores[i]) - expected[i % classes]) < 2e-6);
  }
  CHECK(std::abs(run.train_step(features, labels) - loss_of(features, labels, weights)) < 1e-6);
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
    // Sums of some twenty products of float32, one behind the other.
    CHECK(worst < 60 * 0x1p-23 * largest + 2e-9);
  }
  CHECK(compared > 200);
  std::printf("gradients of products of rows: compared %zu elements\n", compared);
}

TEST_CASE("products of rows have the same bits on any workers and however a batch is cut") {
  const std::uint64_t expected = weights_after<training<4>>(1);
  CHECK(weights_after<training<4>>(3) == expected);
  CHECK(weights_after<training<2>>(2) == expected);
}

TEST_CASE("blocks of products of rows have the bits of the session") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 4, 64, 1472}) {
    machine_target target = ipu2;
    target.tiles = tiles;
    const tile_check found = check_tiles<training<4>>(target, {.updates = 2, .most_blocks = 5});
    CHECK(found.fault == "");
    blocks += found.count.blocks;
  }
  CHECK(blocks > 0);
}

TEST_CASE("a row of zeros has no direction: its cosines are zero, its gradient is finite") {
  const float zeros[4] = {0, 0, 0, 0};
  const float row[4] = {3, 0, 4, 0};
  constexpr kernels::axis_rows rows = {1, 4, 1};
  float scales[2];
  kernels::scales_of_rows(zeros, rows, &scales[0]);
  kernels::scales_of_rows(row, rows, &scales[1]);
  CHECK(scales[0] == Approx(1e6F));
  CHECK(scales[1] == Approx(0.2F));
  float cosine = 1;
  kernels::dot_products(zeros, rows, &scales[0], row, rows, &scales[1], &cosine);
  CHECK(cosine == 0.0F);
  const float given = 2;
  float gradient[4];
  kernels::dot_gradient({&given, 1, 1}, zeros, rows, &scales[0], row, rows, &scales[1], gradient);
  CHECK(gradient[0] == Approx(2 * 0.6F * 1e6F));
  CHECK(gradient[1] == 0.0F);
  // A row's own direction is what its gradient has nothing of.
  kernels::dot_gradient({&given, 1, 1}, row, rows, &scales[1], row, rows, &scales[1], gradient);
  CHECK(std::abs(gradient[0]) < 1e-6F);
}
