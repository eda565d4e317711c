// SPDX-License-Identifier: MIT
// Windows of images, made one number each, channel by channel: forward and gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// The outputs of a line whose windows lie within the image.
constexpr index_range whole_windows(const window& along) {
  const std::int32_t begin = (along.padding + along.stride - 1) / along.stride;
  const std::int32_t room = along.inputs + along.padding - along.taps;
  const std::int32_t end = room < 0 ? 0 : room / along.stride + 1;
  return common({begin, end}, {0, along.outputs});
}

/// Whether windows within the image are unrolled, of `Least` taps or more.
template <pooled_images Images, std::int32_t Least>
inline constexpr bool unrolls_windows =
    Images.rows.taps * Images.columns.taps >= Least && Images.rows.taps * Images.columns.taps <= 32;

/// From the first tap of a window within the image to another.
template <pooled_images Images>
constexpr std::ptrdiff_t tap_place(std::int32_t tap) {
  return (tap / Images.columns.taps * Images.columns.inputs + tap % Images.columns.taps) *
         Images.pixel();
}

/// Calls `body(column, whole)` for the windows of a row of outputs: of those that are unrolled
/// `whole` is true, as a constant.
template <pooled_images Images, std::int32_t Least, typename Body>
IPU_DSL_ALWAYS_INLINE void for_windows(std::int32_t row, const Body& body) {
  constexpr index_range whole_rows = whole_windows(Images.rows);
  constexpr index_range whole = whole_windows(Images.columns);
  const bool unrolled =
      unrolls_windows<Images, Least> && row >= whole_rows.begin && row < whole_rows.end;
  const index_range inner = unrolled && whole.begin < whole.end ? whole : index_range{0, 0};
  for (std::int32_t column = 0; column < inner.begin; ++column) {
    body(column, std::false_type());
  }
  if constexpr (unrolls_windows<Images, Least>) {
    for (std::int32_t column = inner.begin; column < inner.end; ++column) {
      body(column, std::true_type());
    }
  }
  for (std::int32_t column = inner.end; column < Images.columns.outputs; ++column) {
    body(column, std::false_type());
  }
}

/// Taps are met row by row. A NaN among them stays: it is kept beside the largest, which it never
/// is.
struct largest {
  template <typename Vector>
  struct known {
    Vector largest;
    Vector last_nan;  ///< or a number, if there was none
  };

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static known<Vector> begun(Vector first) {
    return {first, first};
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static known<Vector> joined(const known<Vector>& seen, Vector next) {
    return {maximum(next, seen.largest), choose(next == next, seen.last_nan, next)};
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector finished(const known<Vector>& seen, std::int32_t) {
    return choose(seen.last_nan == seen.last_nan, seen.largest, seen.last_nan);
  }
};

struct mean_of_all {
  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector begun(Vector first) {
    return first;
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector joined(Vector sum, Vector next) {
    return sum + next;
  }

  template <typename Vector>
  IPU_DSL_ALWAYS_INLINE static Vector finished(Vector sum, std::int32_t count) {
    return divide(sum, Vector(static_cast<float>(count)));
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
    auto known = Rule::begun(load<lanes>(row + columns.begin * pixel));
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

/// The same of a window within the image, all of whose taps are met. `x` is the first of them.
template <typename Rule, pooled_images Images, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void pool_whole_window(const float* x, float* y) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t taps = Images.rows.taps * Images.columns.taps;
  for (std::ptrdiff_t c = 0; c < Images.pixel(); c += Architecture.lanes) {
    auto known = Rule::begun(load<lanes>(x + c));
    IPU_DSL_UNROLLED
    for (std::int32_t tap = 1; tap < taps; ++tap) {
      known = Rule::joined(known, load<lanes>(x + c + tap_place<Images>(tap)));
    }
    store(y + c, Rule::finished(known, taps));
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
    for_windows<Images, 1>(row, [&](std::int32_t column, auto whole) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const index_range columns = positions_seen(Images.columns, column);
      float* const to = written + column * Images.pixel();
      if constexpr (whole.value) {
        pool_whole_window<Rule, Images, Architecture>(
            image + Images.input_row(0, rows.begin) + columns.begin * Images.pixel(), to);
      } else {
        pool_window<Rule, Images, Architecture>(image, rows, columns, to);
      }
    });
  }
}

/// Calls `body(place)` for the taps of a window that are met, row by row; `Whole` if it lies within
/// the image.
template <pooled_images Images, bool Whole, typename Body>
IPU_DSL_ALWAYS_INLINE void for_taps(const index_range& rows, const index_range& columns,
                                    const Body& body) {
  if constexpr (Whole) {
    const std::ptrdiff_t first = Images.input_row(0, rows.begin) + columns.begin * Images.pixel();
    IPU_DSL_UNROLLED
    for (std::int32_t tap = 0; tap < Images.rows.taps * Images.columns.taps; ++tap) {
      body(first + tap_place<Images>(tap));
    }
  } else {
    for (std::int32_t i = rows.begin; i < rows.end; ++i) {
      for (std::int32_t j = columns.begin; j < columns.end; ++j) {
        body(Images.input_row(0, i) + j * Images.pixel());
      }
    }
  }
}

/// The gradient of a window goes to the first of its numbers that is the largest; of one with a NaN
/// to none.
template <pooled_images Images>
struct gradient_to_largest {
  const float* x;
  const float* y;

  template <typename Vector, bool Whole>
  IPU_DSL_ALWAYS_INLINE void add(const float* d, float* dx, const index_range& rows,
                                 const index_range& columns, std::ptrdiff_t output,
                                 std::ptrdiff_t image) const {
    const Vector found = load<Vector>(y + output);
    Vector left = load<Vector>(d + output);
    const Vector zero(0.0F);
    for_taps<Images, Whole>(rows, columns, [&](std::ptrdiff_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const std::ptrdiff_t at = image + tap;
      const auto is_largest = load<Vector>(x + at) == found;
      store(dx + at, load<Vector>(dx + at) + choose(is_largest, left, zero));
      left = choose(is_largest, zero, left);
    });
  }
};

/// Every number that a window counted has an equal part of its gradient.
template <pooled_images Images>
struct gradient_to_all {
  template <typename Vector, bool Whole>
  IPU_DSL_ALWAYS_INLINE void add(const float* d, float* dx, const index_range& rows,
                                 const index_range& columns, std::ptrdiff_t output,
                                 std::ptrdiff_t image) const {
    const std::int32_t count = (rows.end - rows.begin) * (columns.end - columns.begin);
    const Vector part = divide(load<Vector>(d + output), Vector(static_cast<float>(count)));
    for_taps<Images, Whole>(rows, columns, [&](std::ptrdiff_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      store(dx + image + tap, load<Vector>(dx + image + tap) + part);
    });
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
    for_windows<Images, 5>(row, [&](std::int32_t column, auto whole) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      rule.template add<lanes, whole.value>(d, dx, rows, positions_seen(Images.columns, column),
                                            Images.output_row(sample, row) + column * pixel + c,
                                            image);
    });
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
