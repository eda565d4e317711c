// SPDX-License-Identifier: MIT
// Options of layers whose kernel walks over an image or a sequence: its size, strides, padding.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/whole_number.hpp>

namespace ipu_dsl {

inline constexpr option_key strides_key{"strides"};
inline constexpr option_key padding_key{"padding"};
inline constexpr option_key dilation_rate_key{"dilation_rate"};
inline constexpr option_key groups_key{"groups"};

/// Rows and columns of a kernel: `Conv2D<8, kernel_size{3, 5}>`; of a single number both.
struct kernel_size {
  std::int32_t rows;
  std::int32_t columns = rows;
};

/// Planes, rows and columns of a kernel: `Conv3D<8, kernel_volume{1, 3, 3}>`.
struct kernel_volume {
  std::int32_t planes;
  std::int32_t rows;
  std::int32_t columns;
};

/// Two numbers as one option: the first in `integer`, the second, which a float holds exactly up to
/// 2^24, in `number`.
constexpr option pair_option(const option_key* key, const whole_number& rows,
                             const whole_number& columns) {
  return {key, rows.value, static_cast<float>(columns.value),
          !is_null(rows.fault) ? rows.fault : columns.fault};
}

inline constexpr problem third_below_one = refuse("numbers of at least 1", "another");

/// One to three numbers as one option. A single one is that of every axis.
template <typename Second, typename Third>
constexpr option triple_option(const option_key* key, const whole_number& first,
                               const Second& second, const Third& third) {
  if constexpr (std::same_as<Second, no_number>) {
    return pair_option(key, first, first);
  }
  option made = pair_option(key, first, read_whole(second));
  made.third = two_numbers;
  if constexpr (!std::same_as<Third, no_number>) {
    const whole_number read = read_whole(third);
    made.third = read.value;
    made.fault = !is_null(made.fault) ? made.fault : read.fault;
    if (is_null(made.fault) && read.value <= 0) {
      made.fault = &third_below_one;
    }
  }
  return made;
}

/// From a place of the kernel to the next: `strides<2>`, or rows and columns apart, or of a volume
/// planes, rows and columns.
template <auto Rows, auto Columns = no_number{}, auto Last = no_number{}>
struct strides {
  static constexpr option as_option = triple_option(&strides_key, read_whole(Rows), Columns, Last);
};

/// Where a kernel may stand.
enum class padding_kind : std::int32_t {
  valid,
  same,
  causal,
  carried  ///< causal, of one step at a time: the steps before it are found where they were left
};

/// The kernel stands only where all of it meets the image: the default.
struct valid_padding {
  static constexpr option as_option{&padding_key, static_cast<std::int32_t>(padding_kind::valid)};
};

/// The image is filled up with zeros, so that the output has as many pixels, divided by the stride.
struct same_padding {
  static constexpr option as_option{&padding_key, static_cast<std::int32_t>(padding_kind::same)};
};

/// A sequence is filled up with zeros before its first step, so that an output depends on no later
/// step: of a Conv1D.
struct causal_padding {
  static constexpr option as_option{&padding_key, static_cast<std::int32_t>(padding_kind::causal)};
};

/// Of the options of a layer; `valid_padding` if there is none.
template <std::size_t Count>
constexpr padding_kind padding_of(const option_list<Count>& given) {
  return static_cast<padding_kind>(given.integer(padding_key, 0));
}

/// As a message names it.
constexpr std::string_view name_of(padding_kind padding) {
  return padding == padding_kind::valid  ? "valid_padding"
         : padding == padding_kind::same ? "same_padding"
                                         : "causal_padding";
}

/// What is wrong with causal padding where there is no order of time.
constexpr problem refuse_causal() {
  return refuse("valid_padding or same_padding", "causal_padding",
                "of images no pixel is later than another; a Conv1D takes it");
}

/// From a number that a place of the kernel meets to the next: `dilation_rate<2>` leaves out every
/// other one; rows and columns apart as `dilation_rate<2, 1>`, and of a volume three numbers.
template <auto Rows, auto Columns = no_number{}, auto Last = no_number{}>
struct dilation_rate {
  static constexpr option as_option =
      triple_option(&dilation_rate_key, read_whole(Rows), Columns, Last);
};

/// Channels and filters are dealt into so many groups, which do not see each other.
template <auto Count>
struct groups {
  static constexpr option as_option = whole_option(&groups_key, Count);
};

inline constexpr problem kernel_of_volume =
    refuse("a whole number or kernel_size{rows, columns} as kernel", "a kernel_volume",
           "an image has rows and columns, a sequence steps alone");

/// Rows and columns of the kernel, or what is wrong with what stands in their place.
struct read_kernel {
  whole_number rows;
  whole_number columns;

  template <typename T>
  constexpr explicit read_kernel(const T& given)
      : rows(read_whole<"kernel">(given)), columns(rows) {}

  constexpr explicit read_kernel(const kernel_size& given)
      : rows{given.rows, nullptr}, columns{given.columns, nullptr} {}

  constexpr explicit read_kernel(const kernel_volume& given)
      : rows{given.rows, &kernel_of_volume}, columns{given.columns, nullptr} {}
};

/// Along one axis, as Keras has it: of `same` padding the larger half comes behind the image, of
/// `causal` all of it before.
struct window_placing {
  std::int32_t outputs;
  std::int32_t padding;

  constexpr window_placing(std::int32_t inputs, std::int32_t taps, std::int32_t stride,
                           padding_kind kind, std::int32_t dilation = 1)
      : outputs(0), padding(0) {
    const std::int32_t reach = (taps - 1) * dilation + 1;
    outputs = kind == padding_kind::valid ? (inputs - reach) / stride + 1
                                          : (inputs + stride - 1) / stride;
    const std::int32_t missing = (outputs - 1) * stride + reach - inputs;
    if (kind == padding_kind::causal || kind == padding_kind::carried) {
      padding = reach - 1;
    } else if (kind == padding_kind::same && missing > 0) {
      padding = missing / 2;
    }
  }
};

}  // namespace ipu_dsl
