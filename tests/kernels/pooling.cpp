// SPDX-License-Identifier: MIT
// Tests of kernels/pooling.hpp and kernels/pooling_gradient.hpp: every number is what a scalar
// chain makes of its window, gradients are central differences of the float64 forward, parts make
// the whole, padding stays zero.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include <ipu_dsl/kernels/pooling.hpp>
#include <ipu_dsl/kernels/pooling_gradient.hpp>

#include "kernels/reference.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using kernels::pooled_images;

/// Where a number of an image, or of what is made of it, lies.
std::int64_t at(std::int32_t channels, std::int64_t pixel, std::int32_t channel) {
  return pixel * layout::row_stride(channels) + channel;
}

constexpr std::int32_t pixels_of(const pooled_images& images) {
  return images.samples * images.rows.inputs * images.columns.inputs;
}

constexpr std::int32_t outputs_of(const pooled_images& images) {
  return images.samples * images.rows.outputs * images.columns.outputs;
}

/// The pixels that output number `output` sees, row by row, by their definition: taps that lie
/// within the image.
std::vector<std::int64_t> seen(const pooled_images& images, std::int32_t output) {
  const std::int32_t column = output % images.columns.outputs;
  const std::int32_t row = output / images.columns.outputs % images.rows.outputs;
  const std::int32_t sample = output / images.columns.outputs / images.rows.outputs;
  std::vector<std::int64_t> found;
  for (std::int32_t i = 0; i < images.rows.taps; ++i) {
    for (std::int32_t j = 0; j < images.columns.taps; ++j) {
      const std::int32_t y = row * images.rows.stride + i - images.rows.padding;
      const std::int32_t x = column * images.columns.stride + j - images.columns.padding;
      if (y >= 0 && y < images.rows.inputs && x >= 0 && x < images.columns.inputs) {
        found.push_back((std::int64_t{sample} * images.rows.inputs + y) * images.columns.inputs +
                        x);
      }
    }
  }
  return found;
}

/// The same in any precision.
template <typename Number>
Number pooled(bool largest, const std::vector<Number>& numbers) {
  Number known = numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (!largest) {
      known += numbers[i];
    } else if (numbers[i] >= known) {
      known = numbers[i];
    }
  }
  return largest ? known : known / static_cast<Number>(numbers.size());
}

/// Of a channel.
template <typename Number>
std::vector<Number> numbers_at(const test::buffer& x, const std::vector<std::int64_t>& pixels,
                               std::int32_t channels, std::int32_t channel) {
  std::vector<Number> found;
  for (const std::int64_t pixel : pixels) {
    found.push_back(static_cast<Number>(x[at(channels, pixel, channel)]));
  }
  return found;
}

int checked = 0;

template <typename Rule, pooled_images Images>
test::buffer check_forward(const test::buffer& x, bool largest) {
  const std::int32_t channels = Images.channels;
  test::buffer y(std::int64_t{outputs_of(Images)} * layout::row_stride(channels));
  test::buffer parts = y;
  kernels::pool<Rule, Images>(x.data(), y.data(), {});
  for (int part = 4; part >= 0; --part) {
    kernels::pool<Rule, Images>(x.data(), parts.data(), {part, 5});
  }
  CHECK(test::same_bits(y.view(), parts.view()));
  CHECK(y.intact());
  CHECK(test::padding_is_zero(y, outputs_of(Images), channels));
  int wrong = 0;
  for (std::int32_t output = 0; output < outputs_of(Images); ++output) {
    const std::vector<std::int64_t> pixels = seen(Images, output);
    for (std::int32_t c = 0; c < channels; ++c) {
      const float expected = pooled(largest, numbers_at<float>(x, pixels, channels, c));
      wrong += test::same_bits(y[at(channels, output, c)], expected) ? 0 : 1;
      ++checked;
    }
  }
  CHECK(wrong == 0);
  return y;
}

/// What a number of the input adds to the sum of d * y when it is moved by `step`, in float64.
template <pooled_images Images>
double change(const test::buffer& x, const test::buffer& d, bool largest, std::int64_t pixel,
              std::int32_t channel, double step) {
  double total = 0;
  for (std::int32_t output = 0; output < outputs_of(Images); ++output) {
    const std::vector<std::int64_t> pixels = seen(Images, output);
    std::vector<double> numbers = numbers_at<double>(x, pixels, Images.channels, channel);
    bool met = false;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (pixels[i] == pixel) {
        numbers[i] += step;
        met = true;
      }
    }
    total +=
        met ? pooled(largest, numbers) * test::wide(d[at(Images.channels, output, channel)]) : 0.0;
  }
  return total;
}

/// Both are piecewise linear: central differences are exact but for roundings. Every number adds
/// one gradient a window, each rounded once when it is divided and once when it is added.
template <pooled_images Images>
void check_gradient(const test::buffer& x, const test::buffer& d, const test::buffer& dx,
                    bool largest) {
  constexpr double step = 0x1p-20;
  constexpr int windows = Images.rows.taps * Images.columns.taps;
  int wrong = 0;
  for (std::int64_t pixel = 0; pixel < pixels_of(Images); ++pixel) {
    for (std::int32_t c = 0; c < Images.channels; ++c) {
      const double expected = (change<Images>(x, d, largest, pixel, c, step) -
                               change<Images>(x, d, largest, pixel, c, -step)) /
                              (2 * step);
      const double tolerance = test::chain_error(2 * windows, windows) + 1e-9;
      const double got = test::wide(dx[at(Images.channels, pixel, c)]);
      wrong += std::abs(got - expected) <= tolerance ? 0 : 1;
      ++checked;
    }
  }
  CHECK(wrong == 0);
}

template <pooled_images Images, typename Rule>
test::buffer gradient(const Rule& rule, const test::buffer& d) {
  test::buffer dx(std::int64_t{pixels_of(Images)} * layout::row_stride(Images.channels));
  test::buffer parts = dx;
  kernels::pool_gradient<Images>(rule, d.data(), dx.data(), {});
  for (int part = 2; part >= 0; --part) {
    kernels::pool_gradient<Images>(rule, d.data(), parts.data(), {part, 3});
  }
  CHECK(test::same_bits(dx.view(), parts.view()));
  CHECK(dx.intact());
  CHECK(test::padding_is_zero(dx, pixels_of(Images), Images.channels));
  return dx;
}

template <pooled_images Images>
void check() {
  const test::buffer x = test::random_rows(pixels_of(Images), Images.channels, 1);
  const test::buffer d = test::random_rows(outputs_of(Images), Images.channels, 2);
  const test::buffer y = check_forward<kernels::largest, Images>(x, true);
  const kernels::gradient_to_largest<Images> to_largest{x.data(), y.data()};
  check_gradient<Images>(x, d, gradient<Images>(to_largest, d), true);
  check_forward<kernels::mean_of_all, Images>(x, false);
  check_gradient<Images>(x, d, gradient<Images>(kernels::gradient_to_all<Images>{}, d), false);
}

TEST_CASE("windows of images are pooled number by number") {
  checked = 0;
  // Beside each other, over each other, with gaps; beyond the image on both sides; all of it.
  check<pooled_images{3, {6, 3, 2, 2, 0}, {8, 4, 2, 2, 0}, 5}>();
  check<pooled_images{2, {7, 5, 3, 1, 0}, {6, 4, 3, 1, 0}, 16}>();
  check<pooled_images{2, {7, 2, 2, 4, 0}, {9, 3, 1, 3, 0}, 17}>();
  check<pooled_images{2, {5, 5, 3, 1, 1}, {6, 3, 4, 2, 1}, 1}>();
  check<pooled_images{1, {1, 1, 1, 1, 0}, {11, 6, 3, 2, 1}, 33}>();
  check<pooled_images{2, {4, 1, 4, 1, 0}, {3, 1, 3, 1, 0}, 7}>();
  // Rims on all sides of windows that are unrolled, and of larger ones that are not; none within.
  check<pooled_images{2, {9, 5, 5, 2, 2}, {8, 8, 5, 1, 2}, 18}>();
  check<pooled_images{1, {9, 9, 6, 1, 3}, {8, 4, 6, 2, 2}, 3}>();
  check<pooled_images{2, {3, 3, 5, 1, 2}, {7, 7, 3, 1, 1}, 4}>();
  CHECK(checked > 1'000);
  std::printf("compared %d pooled numbers and gradients\n", checked);
}

TEST_CASE("the largest number of a window with a NaN is one, wherever that stands in it") {
  constexpr pooled_images images{2, {5, 3, 3, 1, 0}, {6, 4, 3, 1, 0}, 17};
  constexpr std::int32_t channel = 16;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  int met = 0;
  int wrong = 0;
  for (std::int64_t pixel = 0; pixel < pixels_of(images); ++pixel) {
    test::buffer x = test::random_rows(pixels_of(images), images.channels, 1);
    x[at(images.channels, pixel, channel)] = nan;
    test::buffer y(std::int64_t{outputs_of(images)} * layout::row_stride(images.channels));
    kernels::pool<kernels::largest, images>(x.data(), y.data(), {});
    for (std::int32_t output = 0; output < outputs_of(images); ++output) {
      const std::vector<std::int64_t> pixels = seen(images, output);
      const bool sees = std::find(pixels.begin(), pixels.end(), pixel) != pixels.end();
      for (std::int32_t c = 0; c < images.channels; ++c) {
        const bool is_nan = std::isnan(y[at(images.channels, output, c)]);
        wrong += is_nan == (sees && c == channel) ? 0 : 1;
      }
      met += sees ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(met == 2 * 3 * 4 * 9);
  std::printf("checked %d windows with a NaN\n", met);
}

/// Beside the gradient and a pass of its own through the activation.
template <pooled_images Images, activation_kind Kind>
int wrong_through(const test::buffer& x, const test::buffer& d) {
  test::buffer y(std::int64_t{outputs_of(Images)} * layout::row_stride(Images.channels));
  kernels::pool<kernels::largest, Images>(x.data(), y.data(), {});
  test::buffer apart =
      gradient<Images>(kernels::gradient_to_largest<Images>{x.data(), y.data()}, d);
  kernels::activation_gradient_from_output<Kind>(apart.data(), x.data(), apart.data(),
                                                 pixels_of(Images), Images.channels, 0.0F);
  const test::buffer through =
      gradient<Images>(kernels::gradient_to_largest<Images, Kind>{x.data(), y.data()}, d);
  test::buffer of_mean = gradient<Images>(kernels::gradient_to_all<Images>{}, d);
  kernels::activation_gradient_from_output<Kind>(of_mean.data(), x.data(), of_mean.data(),
                                                 pixels_of(Images), Images.channels, 0.0F);
  const test::buffer mean_through =
      gradient<Images>(kernels::gradient_to_all<Images, Kind>{x.data()}, d);
  checked += 2 * pixels_of(Images) * Images.channels;
  return (test::same_bits(apart.view(), through.view()) ? 0 : 1) +
         (test::same_bits(of_mean.view(), mean_through.view()) ? 0 : 1);
}

template <activation_kind... Kinds>
int wrong_through_all() {
  constexpr pooled_images twos{3, {6, 3, 2, 2, 0}, {8, 4, 2, 2, 0}, 5};
  constexpr pooled_images wide{2, {3, 1, 3, 3, 0}, {6, 3, 2, 2, 0}, 33};
  constexpr pooled_images steps{2, {1, 1, 1, 1, 0}, {12, 3, 4, 4, 0}, 17};
  int wrong = 0;
  const auto check_of = [&]<pooled_images Images>() {
    test::buffer x = test::random_rows(pixels_of(Images), Images.channels, 1);
    x[at(Images.channels, 2, 0)] = std::numeric_limits<float>::quiet_NaN();
    test::buffer d = test::random_rows(outputs_of(Images), Images.channels, 2);
    d[at(Images.channels, 1, 0)] = std::numeric_limits<float>::infinity();
    wrong += (0 + ... + wrong_through<Images, Kinds>(x, d));
  };
  check_of.template operator()<twos>();
  check_of.template operator()<wide>();
  check_of.template operator()<steps>();
  return wrong;
}

TEST_CASE("a gradient on its way through an activation has the bits of a pass behind it") {
  using enum activation_kind;
  checked = 0;
  CHECK(wrong_through_all<linear, relu, relu6, sigmoid, tanh, selu, hard_sigmoid, softsign,
                          exponential, softplus>() == 0);
  CHECK(checked > 5'000);
  std::printf("compared %d gradients through activations\n", checked);
}

TEST_CASE("of two zeros with signs the first is the largest") {
  constexpr pooled_images images{1, {1, 1, 1, 1, 0}, {4, 2, 2, 2, 0}, 1};
  test::buffer x(4 * layout::row_stride(1), 0.0F);
  x[at(1, 0, 0)] = -0.0F;
  x[at(1, 3, 0)] = -0.0F;
  test::buffer y(2 * layout::row_stride(1));
  kernels::pool<kernels::largest, images>(x.data(), y.data(), {});
  CHECK(std::signbit(y[at(1, 0, 0)]));
  CHECK(!std::signbit(y[at(1, 1, 0)]));
}

TEST_CASE("of equal numbers the first has the gradient") {
  constexpr pooled_images images{1, {2, 1, 2, 2, 0}, {2, 1, 2, 2, 0}, 1};
  test::buffer x(4 * layout::row_stride(1), 0.0F);
  test::buffer d(layout::row_stride(1), 0.0F);
  x[at(1, 1, 0)] = 3;
  x[at(1, 2, 0)] = 3;
  d[0] = 2;
  test::buffer y(layout::row_stride(1));
  kernels::pool<kernels::largest, images>(x.data(), y.data(), {});
  const kernels::gradient_to_largest<images> rule{x.data(), y.data()};
  const test::buffer dx = gradient<images>(rule, d);
  CHECK(dx[at(1, 0, 0)] == 0);
  CHECK(dx[at(1, 1, 0)] == 2);
  CHECK(dx[at(1, 2, 0)] == 0);
  CHECK(dx[at(1, 3, 0)] == 0);
}

}  // namespace
