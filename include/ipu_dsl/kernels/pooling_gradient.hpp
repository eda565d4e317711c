// SPDX-License-Identifier: MIT
// The gradient of an image whose windows were made one number each, channel by channel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/pooling.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

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

/// Whether no number of an image is seen by two windows.
constexpr bool windows_apart(const pooled_images& images) {
  return images.rows.stride >= images.rows.taps && images.columns.stride >= images.columns.taps;
}

/// Whether every one is seen by a window along an axis on which they lie apart.
constexpr bool covers_axis(const window& along) {
  return along.stride == along.taps && along.padding == 0 &&
         along.outputs * along.stride == along.inputs;
}

/// Whether every number of an image is seen by exactly one window.
constexpr bool shares_out(const pooled_images& images) {
  return covers_axis(images.rows) && covers_axis(images.columns);
}

/// What windows before this one added to a gradient.
template <typename Vector, pooled_images Images>
IPU_DSL_ALWAYS_INLINE Vector added_before(const float* dx) {
  if constexpr (windows_apart(Images)) {
    return Vector(0.0F);
  } else {
    return load<Vector>(dx);
  }
}

/// The gradient of a window goes to the first of its numbers that is the largest; of one with a NaN
/// to none. What comes to a number goes through the activation that made it.
template <pooled_images Images, activation_kind Through = activation_kind::linear>
struct gradient_to_largest {
  static_assert(Through == activation_kind::linear || shares_out(Images));

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
      const Vector number = load<Vector>(x + at);
      const auto is_largest = number == found;
      const Vector added = added_before<Vector, Images>(dx + at) + choose(is_largest, left, zero);
      store(dx + at, gradient_through<Through>(added, number, 0.0F));
      left = choose(is_largest, zero, left);
    });
  }
};

/// Every number that a window counted has an equal part of its gradient, which goes through the
/// activation that made the number; without one `x` may be null.
template <pooled_images Images, activation_kind Through = activation_kind::linear>
struct gradient_to_all {
  static_assert(Through == activation_kind::linear || shares_out(Images));

  const float* x = nullptr;

  template <typename Vector, bool Whole>
  IPU_DSL_ALWAYS_INLINE void add(const float* d, float* dx, const index_range& rows,
                                 const index_range& columns, std::ptrdiff_t output,
                                 std::ptrdiff_t image) const {
    const std::int32_t count = (rows.end - rows.begin) * (columns.end - columns.begin);
    const Vector part = divide(load<Vector>(d + output), Vector(static_cast<float>(count)));
    for_taps<Images, Whole>(rows, columns, [&](std::ptrdiff_t tap) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      const std::ptrdiff_t at = image + tap;
      const Vector added = added_before<Vector, Images>(dx + at) + part;
      if constexpr (Through == activation_kind::linear) {
        store(dx + at, added);
      } else {
        store(dx + at, gradient_through<Through>(added, load<Vector>(x + at), 0.0F));
      }
    });
  }
};

/// Some vectors of channels of a sample, those from number `vectors.begin` on: windows add one
/// after the other to rows of dx that are zero before the first of them.
template <pooled_images Images, layout::architecture Architecture, typename Rule>
void pool_gradient_of_channels(const Rule& rule, const float* d, float* dx, std::int32_t sample,
                               const index_range& vectors) noexcept {
  using lanes = vector<Architecture>;
  constexpr std::int32_t width = Architecture.lanes;
  constexpr std::ptrdiff_t pixel = Images.pixel();
  const std::ptrdiff_t first = Images.input_row(sample, 0);
  std::int32_t cleared = shares_out(Images) ? Images.rows.inputs : 0;
  const auto clear_rows_before = [&](std::int32_t end) {
    for (; cleared < end; ++cleared) {
      float* const row = dx + first + Images.input_row(0, cleared);
      for (std::int32_t column = 0; column < Images.columns.inputs; ++column) {
        for (std::int32_t v = vectors.begin; v < vectors.end; ++v) {
          store(row + column * pixel + v * width, lanes(0.0F));
        }
      }
    }
  };
  for (std::int32_t row = 0; row < Images.rows.outputs; ++row) {
    const index_range rows = positions_seen(Images.rows, row);
    clear_rows_before(rows.end);
    for (std::int32_t v = vectors.begin; v < vectors.end; ++v) {
      const std::ptrdiff_t output = Images.output_row(sample, row) + v * width;
      for_windows<Images>(row, [&](std::int32_t column, auto whole) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        rule.template add<lanes, whole.value>(d, dx, rows, positions_seen(Images.columns, column),
                                              output + column * pixel, first + v * width);
      });
    }
  }
  clear_rows_before(Images.rows.inputs);
}

/// dx of d. Parts are samples and vectors of channels.
template <pooled_images Images, layout::architecture Architecture = layout::native, typename Rule>
void pool_gradient(const Rule& rule, const float* d, float* dx, const grain& part) noexcept {
  constexpr auto vectors = static_cast<std::int32_t>(Images.pixel() / Architecture.lanes);
  const index_range mine = range_of(Images.samples * vectors, part);
  for (std::int32_t i = mine.begin; i < mine.end;) {
    const std::int32_t begin = i % vectors;
    const std::int32_t end = (std::min)(vectors, begin + mine.end - i);
    pool_gradient_of_channels<Images, Architecture>(rule, d, dx, i / vectors, {begin, end});
    i += end - begin;
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
