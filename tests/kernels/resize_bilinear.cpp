// SPDX-License-Identifier: MIT
// Tests of kernels/resize_bilinear.hpp: places between pixels, and what each input counts there.
#include <cmath>
#include <vector>

#include <ipu_dsl/kernels/resize_bilinear.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using kernels::resized_axis;
using kernels::resized_images;
using test::lanes;

namespace {

constexpr int samples = 2;

/// What input `i` counts in output `o`: a tent over the middles of pixels, level beyond the
/// outermost.
double weight_of(const resized_axis& axis, int o, int i) {
  double at = (o + 0.5) / axis.factor - 0.5;
  at = std::fmin(std::fmax(at, 0.0), axis.inputs - 1.0);
  return std::fmax(0.0, 1.0 - std::abs(at - i));
}

/// Outputs and gradients are those of the weights, number by number.
void check(const resized_images& by) {
  const int stride = layout::row_stride(by.channels);
  const int inputs = by.rows.inputs * by.columns.inputs;
  const int outputs = by.rows.outputs * by.columns.outputs;
  const test::buffer x = test::random_rows(samples * inputs, by.channels, 61);
  const test::buffer gradient = test::random_rows(samples * outputs, by.channels, 62);
  test::buffer y(std::int64_t{samples} * outputs * stride);
  test::buffer dx(x.size());
  const int half = by.rows.outputs + 1;
  kernels::interpolate(x.data(), y.data(), by, {0, half});
  kernels::interpolate(x.data(), y.data(), by, {half, samples * by.rows.outputs});
  kernels::interpolate_gradient(gradient.data(), dx.data(), by, {0, samples * by.rows.inputs});
  int checked = 0;
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<double> expected(static_cast<std::size_t>(outputs * stride), 0.0);
    std::vector<double> back(static_cast<std::size_t>(inputs * stride), 0.0);
    for (int o = 0; o < outputs; ++o) {
      for (int i = 0; i < inputs; ++i) {
        const double weight = weight_of(by.rows, o / by.columns.outputs, i / by.columns.inputs) *
                              weight_of(by.columns, o % by.columns.outputs, i % by.columns.inputs);
        for (int n = 0; n < stride; ++n) {
          expected[static_cast<std::size_t>(o * stride + n)] +=
              weight * static_cast<double>(x[(sample * inputs + i) * stride + n]);
          back[static_cast<std::size_t>(i * stride + n)] +=
              weight * static_cast<double>(gradient[(sample * outputs + o) * stride + n]);
        }
      }
    }
    for (int at = 0; at < outputs * stride; ++at, ++checked) {
      const double got = static_cast<double>(y[sample * outputs * stride + at]);
      CHECK(std::abs(got - expected[static_cast<std::size_t>(at)]) < 1e-6);
    }
    for (int at = 0; at < inputs * stride; ++at, ++checked) {
      const double got = static_cast<double>(dx[sample * inputs * stride + at]);
      CHECK(std::abs(got - back[static_cast<std::size_t>(at)]) < 2e-5);
    }
  }
  CHECK(checked == samples * (inputs + outputs) * stride);
  CHECK(y.intact());
  CHECK(dx.intact());
}

constexpr resized_axis axis(int inputs, int factor) {
  return {inputs, inputs * factor, 0, factor};
}

}  // namespace

TEST_CASE("what lies between pixels is on the lines between their middles") {
  check({axis(3, 2), axis(4, 3), 3});
  check({axis(2, 4), axis(5, 1), lanes + 1});
  check({axis(1, 3), axis(1, 2), 2});
  check({axis(4, 5), axis(2, 2), lanes});
}

TEST_CASE("twice as many pixels of a row are those of Keras") {
  // tf.image.resize of 1, 2, 4 to six columns, of one row to two.
  const int stride = layout::row_stride(1);
  test::buffer x(std::int64_t{3} * stride);
  test::buffer y(std::int64_t{12} * stride);
  x[0] = 1;
  x[stride] = 2;
  x[2 * stride] = 4;
  kernels::interpolate(x.data(), y.data(), {axis(1, 2), axis(3, 2), 1}, {0, 2});
  const float expected[] = {1, 1.25F, 1.75F, 2.5F, 3.5F, 4};
  for (int i = 0; i < 12; ++i) {
    CHECK(y[i * stride] == expected[i % 6]);
  }
}
