// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/noise.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using kernels::noise_place;
using test::lanes;
using test::wide;

namespace {

constexpr noise_place place{.seed = 7, .stream = 3, .first_element = 0};

/// Rows of one number.
test::buffer all_of(int rows, int units, float number) {
  test::buffer x = test::random_rows(rows, units, 131);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x[i] = x[i] != 0.0F ? number : 0.0F;
  }
  return x;
}

struct moments {
  double mean;
  double variance;
};

moments of(const test::buffer& y, int count) {
  double sum = 0.0;
  double squares = 0.0;
  for (std::int64_t i = 0; i < y.size(); ++i) {
    sum += wide(y[i]);
    squares += wide(y[i]) * wide(y[i]);
  }
  const double mean = sum / count;
  return {mean, squares / count - mean * mean};
}

/// Rows in parts have the noise of all rows at once, padding stays zero.
template <typename Rule>
void check_parts(const Rule& rule) {
  for (const int units : {1, 3, lanes - 1, lanes, lanes + 1}) {
    const test::buffer x = test::random_rows(12, units, 132);
    const std::int64_t stride = layout::row_stride(units);
    test::buffer whole(x.size());
    test::buffer parts(x.size());
    kernels::disturb(x.data(), whole.data(), 12, units, rule, place);
    for (int part = 0; part < 4; ++part) {
      noise_place later = place;
      later.first_element = static_cast<std::uint64_t>(3 * part * units);
      kernels::disturb(x.data() + 3 * part * stride, parts.data() + 3 * part * stride, 3, units,
                       rule, later);
    }
    CHECK(test::same_bits(whole.view(), parts.view()));
    CHECK(test::padding_is_zero(whole, 12, units));
    CHECK(whole.intact());
  }
}

constexpr int rows = 400;
constexpr int units = 100;
constexpr int count = rows * units;
/// Five deviations of the mean of `count` draws of deviation 1.
const double near = 5.0 / std::sqrt(count);

}  // namespace

TEST_CASE("noise is a function of seed, stream and logical index alone") {
  check_parts(kernels::added_noise{0.5});
  check_parts(kernels::multiplied_noise(0.3F));
  check_parts(kernels::alpha_noise(0.3F, false));
}

TEST_CASE("gaussian noise has its mean and deviation, and its factors are those of the gradient") {
  const test::buffer x = all_of(rows, units, 1.0F);
  test::buffer y(x.size());
  kernels::disturb(x.data(), y.data(), rows, units, kernels::added_noise{0.5}, place);
  CHECK(std::fabs(of(y, count).mean - 1.0) < 0.5 * near);
  CHECK(std::fabs(of(y, count).variance - 0.25) < 0.25 * 2.0 * near);
  kernels::disturb(x.data(), y.data(), rows, units, kernels::multiplied_noise(0.2F), place);
  CHECK(std::fabs(of(y, count).mean - 1.0) < 0.5 * near);
  CHECK(std::fabs(of(y, count).variance - 0.25) < 0.25 * 2.0 * near);
  const test::buffer gradient = test::random_rows(rows, units, 133);
  test::buffer dx(x.size());
  kernels::disturb(gradient.data(), dx.data(), rows, units, kernels::multiplied_noise(0.2F), place);
  int wrong = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    wrong += dx[i] == gradient[i] * y[i] ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("alpha dropout keeps the mean and the variance of a normal distribution") {
  const test::buffer zero = all_of(rows, units, 0.0F);
  test::buffer x(zero.size());
  noise_place other = place;
  other.stream = 4;
  kernels::disturb(zero.data(), x.data(), rows, units, kernels::added_noise{1.0}, other);
  test::buffer y(x.size());
  const kernels::alpha_noise rule(0.25F, false);
  kernels::disturb(x.data(), y.data(), rows, units, rule, place);
  CHECK(std::fabs(of(y, count).mean) < 2.0 * near);
  CHECK(std::fabs(of(y, count).variance - 1.0) < 4.0 * near);
  // The gradient of what stays is the slope, of what is dropped nothing.
  const test::buffer ones = all_of(rows, units, 1.0F);
  test::buffer slope(x.size());
  kernels::disturb(ones.data(), slope.data(), rows, units, kernels::alpha_noise(0.25F, true),
                   place);
  int kept = 0;
  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    for (int n = 0; n < units; ++n) {
      const std::int64_t i = std::int64_t{row} * layout::row_stride(units) + n;
      const bool stays = y[i] != rule.dropped;
      wrong += slope[i] == (stays ? rule.scale : 0.0F) ? 0 : 1;
      wrong += !stays || y[i] == kernels::multiply_add(rule.scale, x[i], rule.offset) ? 0 : 1;
      kept += stays ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(std::fabs(kept - 0.75 * count) < 0.5 * near * count);
}

TEST_CASE("channels are dropped at all positions of a sample") {
  constexpr int channels = lanes + 2;
  constexpr int samples = 40;
  constexpr int positions = 3;
  const test::buffer x = test::random_rows(samples * positions, channels, 134);
  const std::int64_t stride = layout::row_stride(channels);
  test::buffer y(x.size());
  kernels::drop_channels(x.data(), y.data(), samples, positions, channels, 0.4F, place);
  int dropped = 0;
  int wrong = 0;
  for (int sample = 0; sample < samples; ++sample) {
    for (int n = 0; n < channels; ++n) {
      const auto index = static_cast<std::uint64_t>(sample * channels + n);
      const bool gone = uniform_unit(random_word(7, 3, index)) < 0.4F;
      for (int position = 0; position < positions; ++position) {
        const std::int64_t i = (sample * positions + position) * stride + n;
        wrong += y[i] == (gone ? 0.0F : x[i] * (1.0F / (1.0F - 0.4F))) ? 0 : 1;
      }
      dropped += gone ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(dropped > 0);
  CHECK(dropped < samples * channels);
  CHECK(test::padding_is_zero(y, samples * positions, channels));
  CHECK(y.intact());
}
