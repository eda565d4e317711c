// SPDX-License-Identifier: MIT
// Merges and layers that move numbers, in a model: gradients by central differences of a float64
// forward, and with noise the same bits under every schedule, on any workers and replicas, however
// a batch is cut, and from a predictor.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/inference.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"
#include "training/shape_models.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using tests::shaped;
using tests::trained_digits;

namespace {

using numbers = std::vector<double>;

/// Element (i, j, k) of an image that lies in order.
struct image {
  int rows;
  int columns;
  int channels;
  numbers values;

  image(int r, int c, int n)
      : rows(r), columns(c), channels(n), values(static_cast<std::size_t>(r * c * n), 0.0) {}

  double& at(int r, int c, int n) {
    return values[static_cast<std::size_t>((r * columns + c) * channels + n)];
  }
};

/// Output (r, c) is input (row(r), column(c)), or zero where that is outside.
template <typename Row, typename Column>
image moved(image from, int rows, int columns, const Row& row, const Column& column) {
  image made(rows, columns, from.channels);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const int i = row(r);
      const int j = column(c);
      for (int n = 0; n < from.channels; ++n) {
        const bool inside = i >= 0 && i < from.rows && j >= 0 && j < from.columns;
        made.at(r, c, n) = inside ? from.at(i, j, n) : 0.0;
      }
    }
  }
  return made;
}

numbers dense(const numbers& x, const numbers& kernel, const numbers& bias) {
  numbers y = bias;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t n = 0; n < y.size(); ++n) {
      y[n] += x[i] * kernel[i * y.size() + n];
    }
  }
  return y;
}

template <typename Function>
numbers each(numbers x, const Function& function) {
  for (double& value : x) {
    value = function(value);
  }
  return x;
}

void append(numbers& all, const numbers& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// The image of the five merges, padded, with a slope for each column and channel below zero,
/// repeated, cut and turned.
numbers image_part(const std::vector<numbers>& merged, const numbers& slopes) {
  image x(3, 4, 5);
  numbers all;
  for (const numbers& part : merged) {
    append(all, part);
  }
  x.values = all;
  x = moved(x, 4, 6, [](int r) { return r - 1; }, [](int c) { return c; });
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    x.values[i] *= x.values[i] > 0.0 ? 1.0 : slopes[i % slopes.size()];
  }
  x = moved(x, 8, 18, [](int r) { return r / 2; }, [](int c) { return c / 3; });
  x = moved(x, 5, 11, [](int r) { return r + 1; }, [](int c) { return c + 2; });
  numbers turned;
  for (int n = 0; n < 5; ++n) {
    for (int r = 0; r < 5; ++r) {
      for (int c = 0; c < 11; ++c) {
        turned.push_back(x.at(r, c, n));
      }
    }
  }
  return turned;
}

/// (zeros, four times the mean, the largest, the smallest) as steps, turned.
numbers step_part(const numbers& mean, const numbers& largest, const numbers& smallest) {
  std::vector<numbers> steps(1, numbers(12, 0.0));
  steps.insert(steps.end(), 4, mean);
  steps.push_back(largest);
  steps.push_back(smallest);
  numbers turned;
  for (std::size_t n = 0; n < 12; ++n) {
    for (const numbers& step : steps) {
      turned.push_back(step[n]);
    }
  }
  return turned;
}

numbers scores_of(const numbers& x, const std::vector<numbers>& weights) {
  const numbers a = each(dense(x, weights[0], weights[1]), [](double v) { return std::tanh(v); });
  const numbers b =
      each(dense(x, weights[2], weights[3]), [](double v) { return v / (1.0 + std::fabs(v)); });
  const numbers c = each(dense(x, weights[4], weights[5]),
                         [](double v) { return v * std::tanh(std::log1p(std::exp(v))); });
  std::vector<numbers> merged(5, numbers(12));
  for (std::size_t i = 0; i < 12; ++i) {
    merged[0][i] = a[i] - b[i];
    merged[1][i] = a[i] * b[i] * c[i];
    merged[2][i] = (a[i] + b[i] + c[i]) / 3.0;
    merged[3][i] = std::fmax(std::fmax(a[i], b[i]), c[i]);
    merged[4][i] = std::fmin(a[i], c[i]);
  }
  numbers all = image_part(merged, weights[6]);
  append(all, step_part(merged[2], merged[3], merged[4]));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] *= all[i] > 0.0 ? 1.0 : weights[7][i];
  }
  return dense(all, weights[8], weights[9]);
}

constexpr int classes = 4;
constexpr std::size_t samples = 5;
constexpr std::size_t inputs = 9;

double loss_of(const std::vector<float>& features, const std::vector<std::int32_t>& labels,
               const std::vector<numbers>& weights) {
  double total = 0.0;
  for (std::size_t i = 0; i < samples; ++i) {
    const numbers x(features.begin() + static_cast<std::ptrdiff_t>(i * inputs),
                    features.begin() + static_cast<std::ptrdiff_t>((i + 1) * inputs));
    const numbers scores = scores_of(x, weights);
    double sum = 0.0;
    for (const double score : scores) {
      sum += std::exp(score);
    }
    total += std::log(sum) - scores[static_cast<std::size_t>(labels[i])];
  }
  return total / static_cast<double>(samples);
}

struct small_step : compile<shaped<3, 3, classes, false, false>, micro_batch<5>,
                            loss<sparse_categorical_crossentropy>> {};

template <typename Schedule, int Samples, int MicroBatches, int Replicas, bool TwoStages>
struct training : tests::digit_training<shaped<28, 28, 10, TwoStages, true>, sgd<momentum>,
                                        Schedule, Samples, MicroBatches, Replicas> {};

template <typename Compiled>
trained_digits train(int threads, std::int64_t steps) {
  return tests::train_on_digits<Compiled>({.learning_rate = 0.01F, .momentum = 0.9F}, threads,
                                          steps, true);
}

}  // namespace

TEST_CASE("gradients through merges and moved numbers agree with central differences") {
  constexpr float rate = 0x1p20F;
  session<small_step> run{{.learning_rate = rate}};
  std::vector<numbers> weights;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    const auto count = static_cast<std::size_t>(run.weights().at(i).extents.elements());
    const std::vector<float> drawn = reference::numbers(count, 81 + i, i < 8 ? 0.4F : 0.05F);
    run.weights().set(i, drawn);
    weights.emplace_back(drawn.begin(), drawn.end());
  }
  REQUIRE(weights.size() == 10);
  const std::vector<float> features = reference::numbers(samples * inputs, 12, 1.5F);
  const std::vector<std::int32_t> labels = reference::labels(samples, 14, classes);
  std::vector<float> scores(samples * classes);
  run.predict(features, scores);
  for (std::size_t i = 0; i < samples; ++i) {
    const numbers x(features.begin() + static_cast<std::ptrdiff_t>(i * inputs),
                    features.begin() + static_cast<std::ptrdiff_t>((i + 1) * inputs));
    const numbers expected = scores_of(x, weights);
    for (std::size_t n = 0; n < classes; ++n) {
      CHECK(std::fabs(static_cast<double>(scores[i * classes + n]) - expected[n]) < 3e-6);
    }
  }
  weights_of<shaped<3, 3, classes, false, false>> kept;
  kept.copy_from(run.weights());
  predictor<shaped<3, 3, classes, false, false>, micro_batch<1>> alone(kept);
  std::vector<float> one_by_one(scores.size());
  for (std::size_t i = 0; i < samples; ++i) {
    CHECK(alone.predict(std::span(features).subspan(i * inputs, inputs),
                        std::span(one_by_one).subspan(i * classes, classes)));
  }
  CHECK(one_by_one == scores);
  // Noise is in training alone.
  using noisy = shaped<3, 3, classes, false, true>;
  weights_of<noisy> same;
  same.copy_from(run.weights());
  predictor<noisy, micro_batch<5>> undisturbed(same);
  std::vector<float> quiet(scores.size());
  CHECK(undisturbed.predict(features, quiet));
  CHECK(quiet == scores);

  const double found_loss = run.train_step(features, labels);
  CHECK(std::fabs(found_loss - loss_of(features, labels, weights)) < 1e-6);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<float> after(weights[i].size());
    run.weights().get(i, after);
    double largest = 0.0;
    double worst = 0.0;
    for (std::size_t j = 0; j < after.size(); ++j) {
      constexpr double step = 0x1p-17;
      const double value = weights[i][j];
      weights[i][j] = value + step;
      const double above = loss_of(features, labels, weights);
      weights[i][j] = value - step;
      const double below = loss_of(features, labels, weights);
      weights[i][j] = value;
      const double expected = (above - below) / (2.0 * step);
      const double found = (value - static_cast<double>(after[j])) / static_cast<double>(rate);
      worst = std::fmax(worst, std::fabs(found - expected));
      largest = std::fmax(largest, std::fabs(expected));
      ++compared;
    }
    INFO(run.weights().name(i));
    CHECK(largest > 0.0);
    // Sums of some sixty products of float32.
    CHECK(worst < 60 * 0x1p-23 * largest + 2e-9);
  }
  CHECK(compared > 0);
  std::printf("gradients of merges and moved numbers: compared %zu elements\n", compared);
}

TEST_CASE("merges, moved numbers and noise have the same bits however they are trained") {
  const trained_digits expected = train<training<sequential_schedule, 8, 4, 1, false>>(1, 16);
  REQUIRE(expected.losses.size() == 16);
  CHECK(train<training<sequential_schedule, 8, 4, 1, false>>(3, 16) == expected);
  CHECK(train<training<interleaved, 8, 4, 1, true>>(3, 16) == expected);
  CHECK(train<training<sequential_schedule, 2, 16, 1, false>>(1, 64).weights == expected.weights);
  const trained_digits dealt = train<training<grouped, 8, 4, 2, true>>(1, 16);
  CHECK(train<training<grouped, 8, 4, 2, true>>(4, 16) == dealt);
}
