// SPDX-License-Identifier: MIT
// Windows of images, made one number each, channel by channel: forward and gradient.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Images `[samples][rows][columns][row_stride(channels)]`, and what is made of them,
/// `[samples][output rows][output columns][row_stride(channels)]`.
struct pooled_images {
  std::int32_t samples;
  window rows;
  window columns;
  std::int32_t channels;

  constexpr std::ptrdiff_t pixel() const { return layout::row_stride(channels); }

  /// The first pixel of a row of an image, or of what is made of it.
  constexpr std::ptrdiff_t input_row(std::int32_t sample, std::int32_t row) const {
    return (std::ptrdiff_t{sample} * rows.inputs + row) * columns.inputs * pixel();
  }

  constexpr std::ptrdiff_t output_row(std::int32_t sample, std::int32_t row) const {
    return (std::ptrdiff_t{sample} * rows.outputs + row) * columns.outputs * pixel();
  }
};

/// The positions of an image that a window sees.
constexpr index_range positions_seen(const window& along, std::int32_t output) {
  const std::int32_t begin = output * along.stride - along.padding;
  const std::int32_t end = begin + along.taps;
  return {begin > 0 ? begin : 0, end < along.inputs ? end : along.inputs};
}

/// Taps are met row by row. A NaN among them stays: instructions for the larger of two lose one.
struct largest {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector joined(Vector known, Vector next) {
    return choose(next > known, next, choose(next == next, known, next));
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector finished(Vector known, std::int32_t) {
    return known;
  }
};

struct mean_of_all {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector joined(Vector known, Vector next) {
    return known + next;
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector finished(Vector known, std::int32_t count) {
    return divide(known, Vector(static_cast<float>(count)));
  }
};

/// Vectors of channels of one window. `x` is the first pixel of the sample.
template <typename Rule, pooled_images Images, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void pool_window(const float* x, const index_range& rows,
                                       const index_range& columns, float* y) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::ptrdiff_t pixel = Images.pixel();
  constexpr std::ptrdiff_t row_length = Images.columns.inputs * pixel;
  const std::int32_t count = (rows.end - rows.begin) * (columns.end - columns.begin);
  for (std::ptrdiff_t c = 0; c < pixel; c += Architecture.lanes) {
    const float* row = x + rows.begin * row_length + c;
    lanes known = load<lanes>(row + columns.begin * pixel);
    for (std::int32_t j = columns.begin + 1; j < columns.end; ++j) {
      known = Rule::joined(known, load<lanes>(row + j * pixel));
    }
    for (std::int32_t i = rows.begin + 1; i < rows.end; ++i) {
      row += row_length;
      for (std::int32_t j = columns.begin; j < columns.end; ++j) {
        known = Rule::joined(known, load<lanes>(row + j * pixel));
      }
    }
    store(y + c, Rule::finished(known, count));
  }
}

/// y of x. Parts are rows of outputs.
template <typename Rule, pooled_images Images, layout::architecture Architecture = layout::native>
void pool(const float* x, float* y, const grain& part) noexcept {
  const index_range mine = range_of(Images.samples * Images.rows.outputs, part);
  for (std::int32_t output = mine.begin; output < mine.end; ++output) {
    const std::int32_t sample = output / Images.rows.outputs;
    const std::int32_t row = output % Images.rows.outputs;
    const index_range rows = positions_seen(Images.rows, row);
    const float* image = x + Images.input_row(sample, 0);
    float* written = y + Images.output_row(sample, row);
    for (std::int32_t column = 0; column < Images.columns.outputs; ++column) {
      pool_window<Rule, Images, Architecture>(image, rows, positions_seen(Images.columns, column),
                                              written + column * Images.pixel());
    }
  }
}

/// The gradient of a window goes to the first of its numbers that is the largest; of one with a NaN
/// to none.
template <pooled_images Images>
struct gradient_to_largest {
  const float* x;
  const float* y;

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE void add(const float* d, float* dx, const index_range& rows,
                                 const index_range& columns, std::ptrdiff_t output,
                                 std::ptrdiff_t image) const {
    const Vector found = load<Vector>(y + output);
    Vector left = load<Vector>(d + output);
    const Vector zero(0.0F);
    for (std::int32_t i = rows.begin; i < rows.end; ++i) {
      for (std::int32_t j = columns.begin; j < columns.end; ++j) {
        const std::ptrdiff_t at =
            image + (std::ptrdiff_t{i} * Images.columns.inputs + j) * Images.pixel();
        const auto is_largest = load<Vector>(x + at) == found;
        store(dx + at, load<Vector>(dx + at) + choose(is_largest, left, zero));
        left = choose(is_largest, zero, left);
      }
    }
  }
};

/// Every number that a window counted has an equal part of its gradient.
template <pooled_images Images>
struct gradient_to_all {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE void add(const float* d, float* dx, const index_range& rows,
                                 const index_range& columns, std::ptrdiff_t output,
                                 std::ptrdiff_t image) const {
    const std::int32_t count = (rows.end - rows.begin) * (columns.end - columns.begin);
    const Vector part = divide(load<Vector>(d + output), Vector(static_cast<float>(count)));
    for (std::int32_t i = rows.begin; i < rows.end; ++i) {
      for (std::int32_t j = columns.begin; j < columns.end; ++j) {
        const std::ptrdiff_t at =
            image + (std::ptrdiff_t{i} * Images.columns.inputs + j) * Images.pixel();
        store(dx + at, load<Vector>(dx + at) + part);
      }
    }
  }
};

/// One vector of channels of a sample: windows add one after the other.
template <pooled_images Images, layout::architecture Architecture, typename Rule>
void pool_gradient_of_channels(const Rule& rule, const float* d, float* dx, std::int32_t sample,
                               std::ptrdiff_t c) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::ptrdiff_t pixel = Images.pixel();
  const std::ptrdiff_t image = Images.input_row(sample, 0) + c;
  constexpr std::int32_t pixels = Images.rows.inputs * Images.columns.inputs;
  for (std::int32_t i = 0; i < pixels; ++i) {
    store(dx + image + i * pixel, lanes(0.0F));
  }
  for (std::int32_t row = 0; row < Images.rows.outputs; ++row) {
    const index_range rows = positions_seen(Images.rows, row);
    for (std::int32_t column = 0; column < Images.columns.outputs; ++column) {
      rule.template add<lanes>(d, dx, rows, positions_seen(Images.columns, column),
                               Images.output_row(sample, row) + column * pixel + c, image);
    }
  }
}

/// dx of d. Parts are samples and vectors of channels.
template <pooled_images Images, layout::architecture Architecture = layout::native, typename Rule>
void pool_gradient(const Rule& rule, const float* d, float* dx, const grain& part) noexcept {
  constexpr auto vectors = static_cast<std::int32_t>(Images.pixel() / Architecture.lanes);
  const index_range mine = range_of(Images.samples * vectors, part);
  for (std::int32_t i = mine.begin; i < mine.end; ++i) {
    pool_gradient_of_channels<Images, Architecture>(
        rule, d, dx, i / vectors, std::ptrdiff_t{i % vectors} * Architecture.lanes);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
