// SPDX-License-Identifier: MIT
#include <limits>

#include <ipu_dsl/kernels/sample_weights.hpp>
#include <ipu_dsl/vocabulary/losses/mean_squared_error.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;

namespace {

int checked = 0;

/// Extents around the width of vectors and around the sixteen chains of a sum.
constexpr int features_tried[] = {1, lanes - 1, lanes, lanes + 1, 2 * lanes + 1, 17, 31};

constexpr int batch = 5;
constexpr int valid = 4;

struct weighted_rows {
  test::buffer predicted;
  test::buffer wanted;
  test::buffer weights;
  int positions;
  int features;
  std::int64_t stride;
  std::int64_t weight_stride;

  weighted_rows(int of_sample, int of_position)
      : predicted(test::random_rows(batch, of_sample * of_position, 121)),
        wanted(test::random_rows(batch, of_sample * of_position, 122)),
        weights(test::random_rows(batch, of_sample, 123)),
        positions(of_sample),
        features(of_position),
        stride(layout::row_stride(of_sample * of_position)),
        weight_stride(layout::row_stride(of_sample)) {
    weights[0] = 0;
  }

  float weight(int sample, int position) const {
    return weights[sample * weight_stride + position];
  }
};

/// Every sum is w times what the position says alone, in their order; positions of weight 0 hold
/// what is no number.
void check_sum(int positions, int features) {
  weighted_rows rows(positions, features);
  rows.predicted[0] = (std::numeric_limits<float>::quiet_NaN)();
  double expected = 0;
  double of_weights = 0;
  for (int b = 0; b < valid; ++b) {
    for (int p = 0; p < positions; ++p) {
      const std::int64_t first = b * rows.stride + p * features;
      of_weights += static_cast<double>(rows.weight(b, p));
      if (b > 0 || p > 0) {
        const float sum = kernels::row_sum<layout::native>(
            rows.predicted.data() + first, rows.wanted.data() + first, features,
            [](const auto& chain, const auto& x, const auto& y) {
              return squared_error_rule::add<kernels::arithmetic>(chain, x, y);
            });
        expected += static_cast<double>(rows.weight(b, p)) * static_cast<double>(sum);
      }
      ++checked;
    }
  }
  INFO(positions << " positions of " << features);
  CHECK(kernels::weighted_pointwise_sum<squared_error_rule{}>(
            rows.predicted.data(), rows.wanted.data(), rows.weights.data(), positions, features,
            valid) == expected / (positions * features));
  CHECK(kernels::sum_of_weights(rows.weights.data(), positions, valid) == of_weights / positions);
}

/// Each number times its weight, rounded once; nothing else is touched.
void check_gradient(int positions, int features) {
  const weighted_rows rows(positions, features);
  test::buffer gradient = test::random_rows(batch, positions * features, 124);
  const test::buffer before = test::random_rows(batch, positions * features, 124);
  gradient[0] = (std::numeric_limits<float>::infinity)();
  kernels::weigh_gradient(gradient.data(), rows.weights.data(), positions, features, valid);
  int wrong = 0;
  for (int b = 0; b < batch; ++b) {
    for (int p = 0; p < positions; ++p) {
      for (int n = 0; n < features; ++n) {
        const std::int64_t i = b * rows.stride + p * features + n;
        const bool zero = b == 0 && p == 0;
        const float expected = b >= valid ? before[i] : zero ? 0.0F : before[i] * rows.weight(b, p);
        wrong += test::same_bits(gradient[i], expected) ? 0 : 1;
        ++checked;
      }
    }
  }
  INFO(positions << " positions of " << features);
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(gradient, batch, positions * features));
  CHECK(gradient.intact());
}

}  // namespace

TEST_CASE("a weighted sum is each position's sum by its weight") {
  checked = 0;
  for (const int features : features_tried) {
    for (const int positions : {1, 3, 9}) {
      check_sum(positions, features);
    }
  }
  CHECK(checked > 0);
  std::printf("sample weights: checked %d positions\n", checked);
}

TEST_CASE("a weighted gradient is each number by its weight, and 0 where that is 0") {
  checked = 0;
  for (const int features : features_tried) {
    for (const int positions : {1, 3, 9}) {
      check_gradient(positions, features);
    }
  }
  CHECK(checked > 0);
  std::printf("sample weights: checked %d gradients\n", checked);
}
