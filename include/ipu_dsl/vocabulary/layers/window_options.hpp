// SPDX-License-Identifier: MIT
// Options of layers whose kernel walks over an image: its size, strides, padding.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/whole_number.hpp>

namespace ipu_dsl {

inline constexpr option_key strides_key{"strides"};
inline constexpr option_key padding_key{"padding"};
inline constexpr option_key dilation_rate_key{"dilation_rate"};
inline constexpr option_key groups_key{"groups"};

/// Rows and columns of a kernel: `Conv2D<8, kernel_size{3, 5}>`.
struct kernel_size {
  std::int32_t rows;
  std::int32_t columns;
};

/// Two numbers as one option: the first in `integer`, the second, which a float holds exactly up to
/// 2^24, in `number`.
constexpr option pair_option(const option_key* key, const whole_number& rows,
                             const whole_number& columns) {
  return {key, rows.value, static_cast<float>(columns.value),
          rows.fault != nullptr ? rows.fault : columns.fault};
}

/// From a place of the kernel to the next: `strides<2>`, or rows and columns apart.
template <auto Rows, auto Columns = Rows>
struct strides {
  static constexpr option as_option = pair_option(&strides_key, whole(Rows), whole(Columns));
};

/// The kernel stands only where all of it meets the image: the default.
struct valid_padding {
  static constexpr option as_option{&padding_key, 0};
};

/// The image is filled up with zeros, so that the output has as many pixels, divided by the stride.
struct same_padding {
  static constexpr option as_option{&padding_key, 1};
};

inline constexpr problem no_dilation =
    refuse("1", "another number", "kernels with holes are not there yet");

inline constexpr problem no_groups =
    refuse("1", "another number", "groups of channels are not there yet");

/// A number of which only one value is understood yet.
template <typename T>
constexpr option only_one(const option_key* key, const T& value, const problem& refused) {
  const whole_number read = whole(value);
  return {key, read.value, 0,
          read.fault != nullptr ? read.fault : (read.value == 1 ? nullptr : &refused)};
}

/// Keras's; 1 for now.
template <auto Rate>
struct dilation_rate {
  static constexpr option as_option = only_one(&dilation_rate_key, Rate, no_dilation);
};

/// Keras's; 1 for now.
template <auto Count>
struct groups {
  static constexpr option as_option = only_one(&groups_key, Count, no_groups);
};

/// Rows and columns of the kernel, or what is wrong with what stands in their place.
struct read_kernel {
  whole_number rows;
  whole_number columns;

  template <typename T>
  constexpr explicit read_kernel(const T& given) : rows(whole(given)), columns(rows) {}

  constexpr explicit read_kernel(const kernel_size& given)
      : rows{given.rows, nullptr}, columns{given.columns, nullptr} {}
};

/// Along one axis, as Keras has it: of `same` padding the larger half comes behind the image.
struct window_placing {
  std::int32_t outputs;
  std::int32_t padding;

  constexpr window_placing(std::int32_t inputs, std::int32_t taps, std::int32_t stride,
                           bool fills_up)
      : outputs(fills_up ? (inputs + stride - 1) / stride : (inputs - taps) / stride + 1),
        padding(0) {
    const std::int32_t missing = (outputs - 1) * stride + taps - inputs;
    if (fills_up && missing > 0) {
      padding = missing / 2;
    }
  }
};

}  // namespace ipu_dsl
