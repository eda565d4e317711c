// SPDX-License-Identifier: MIT
// Windows of images, made one number each, channel by channel.
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

/// Whether windows within the image are unrolled, which must not be too large for it. (Of 64
/// channels, 56x56, the mean of 3x3: 0.66 of the time with sixteen lanes, 0.53 with eight.)
template <pooled_images Images>
inline constexpr bool unrolls_windows = Images.rows.taps * Images.columns.taps <= 32;

/// From the first tap of a window within the image to another.
template <pooled_images Images>
constexpr std::ptrdiff_t tap_place(std::int32_t tap) {
  return (tap / Images.columns.taps * Images.columns.inputs + tap % Images.columns.taps) *
         Images.pixel();
}

/// Calls `body(column, whole)` for the windows of a row of outputs: of those that are unrolled
/// `whole` is true, as a constant.
template <pooled_images Images, typename Body>
IPU_DSL_ALWAYS_INLINE void for_windows(std::int32_t row, const Body& body) {
  constexpr index_range whole_rows = whole_windows(Images.rows);
  constexpr index_range whole = whole_windows(Images.columns);
  const bool unrolled = unrolls_windows<Images> && row >= whole_rows.begin && row < whole_rows.end;
  const index_range inner = unrolled && whole.begin < whole.end ? whole : index_range{0, 0};
  for (std::int32_t column = 0; column < inner.begin; ++column) {
    body(column, std::false_type());
  }
  if constexpr (unrolls_windows<Images>) {
    for (std::int32_t column = inner.begin; column < inner.end; ++column) {
      body(column, std::true_type());
    }
  }
  for (std::int32_t column = inner.end; column < Images.columns.outputs; ++column) {
    body(column, std::false_type());
  }
}

/// Taps are met row by row, of equal ones the first is the largest. A NaN among them stays: it is
/// kept beside the largest, which no comparison with one moves.
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
    for_windows<Images>(row, [&](std::int32_t column, auto whole) IPU_DSL_ALWAYS_INLINE_LAMBDA {
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

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
