// SPDX-License-Identifier: MIT
// Tests of kernels/resize.hpp and kernels/permute.hpp: plain moves of numbers.
#include <ipu_dsl/kernels/permute.hpp>
#include <ipu_dsl/kernels/resize.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using kernels::resized_axis;
using kernels::resized_images;
using test::lanes;

namespace {

constexpr int samples = 3;

constexpr std::int64_t place(int sample, int row, int column, int rows, int columns, int stride) {
  return ((std::int64_t{sample} * rows + row) * columns + column) * stride;
}

/// Every output is what its rule says, and the gradient is that of the sum of all products with it.
void check(const resized_images& by) {
  const int stride = layout::row_stride(by.channels);
  const int inputs = samples * by.rows.inputs * by.columns.inputs;
  const int outputs = samples * by.rows.outputs * by.columns.outputs;
  const test::buffer x = test::random_rows(inputs, by.channels, 61);
  const test::buffer gradient = test::random_rows(outputs, by.channels, 62);
  test::buffer y(std::int64_t{outputs} * stride);
  test::buffer dx(x.size());
  const int half = samples * by.rows.outputs / 2;
  kernels::resize(x.data(), y.data(), by, {0, half});
  kernels::resize(x.data(), y.data(), by, {half, samples * by.rows.outputs});
  kernels::resize_gradient(gradient.data(), dx.data(), by, {0, samples * by.rows.inputs});
  std::vector<float> expected(static_cast<std::size_t>(x.size()), 0.0F);
  int copied = 0;
  for (int sample = 0; sample < samples; ++sample) {
    for (int row = 0; row < by.rows.outputs; ++row) {
      for (int column = 0; column < by.columns.outputs; ++column) {
        const int from_row = by.rows.source(row);
        const int from = by.columns.source(column);
        const std::int64_t to =
            place(sample, row, column, by.rows.outputs, by.columns.outputs, stride);
        const bool none = from_row < 0 || from < 0;
        const std::int64_t at =
            none ? 0 : place(sample, from_row, from, by.rows.inputs, by.columns.inputs, stride);
        for (int n = 0; n < stride; ++n) {
          CHECK(y[to + n] == (none ? 0.0F : x[at + n]));
          if (!none) {
            expected[static_cast<std::size_t>(at + n)] += gradient[to + n];
            ++copied;
          }
        }
      }
    }
  }
  CHECK(copied > 0);
  for (std::int64_t i = 0; i < dx.size(); ++i) {
    CHECK(dx[i] == expected[static_cast<std::size_t>(i)]);
  }
  CHECK(y.intact());
  CHECK(dx.intact());
}

}  // namespace

TEST_CASE("positions are padded, cut and repeated") {
  check({{3, 6, 1, 1}, {4, 6, 0, 1}, 3});
  check({{5, 2, -1, 1}, {4, 3, -1, 1}, lanes + 1});
  check({{2, 6, 0, 3}, {3, 6, 0, 2}, 5});
  check({{1, 1, 0, 1}, {1, 4, 0, 4}, lanes});
}

TEST_CASE("axes are exchanged") {
  float from[24];
  float to[24];
  for (int i = 0; i < 24; ++i) {
    from[i] = static_cast<float>(i);
  }
  // (2, 3, 4) as (4, 2, 3).
  kernels::permute(from, to, {{1, 4, 2, 3}, {24, 1, 12, 4}});
  int compared = 0;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 2; ++b) {
      for (int c = 0; c < 3; ++c) {
        CHECK(to[(a * 2 + b) * 3 + c] == from[(b * 3 + c) * 4 + a]);
        ++compared;
      }
    }
  }
  CHECK(compared == 24);
}
