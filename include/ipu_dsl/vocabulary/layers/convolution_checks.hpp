// SPDX-License-Identifier: MIT
// What convolutions ask of their options and inputs, and how they are written.
#pragma once

#include <cstdint>
#include <numeric>

#include <ipu_dsl/vocabulary/layers/convolution.hpp>

namespace ipu_dsl {

inline constexpr problem three_numbers_of_image = refuse(
    "one or two numbers in strides<...> and dilation_rate<...>", "three", "a Conv3D takes them");

inline constexpr problem two_strides_of_sequence =
    refuse("one number in strides<...>", "rows and columns", "a sequence has steps alone");

inline constexpr problem two_dilations_of_sequence =
    refuse("one number in dilation_rate<...>", "rows and columns", "a sequence has steps alone");

namespace convolution_rules {

/// Sequences as images of one row.
constexpr shape as_image(const shape& input) {
  return input.rank == 2 ? shape{1, input[0], input[1]} : input;
}

/// Whether an input gradient that lies so goes through an activation line by line as it is written:
/// in whole pixels, and not where numbers of groups are its lanes.
constexpr bool puts_through(const attributes& given, const shape& input, storage lies) {
  const auto options = given.as<convolution_options>();
  conv2d_call made = {};
  made.channels = input[input.rank - 1];
  made.filters = options.filters;
  made.groups = options.groups;
  return !made.lanewise() && (lies == storage::positions || !pads_positions(input));
}

/// The size of the kernel, and the options that are not at their default.
constexpr label describe_options(const convolution_options& options) {
  const bool of_images = options.axes == 2;
  label words;
  if (of_images && options.kernel_rows != options.kernel_columns) {
    words << "kernel_size{" << options.kernel_rows << ", " << options.kernel_columns << "}";
  } else {
    words << options.kernel_columns;
  }
  if (options.depth_multiplier != 1) {
    words << ", depth_multiplier<" << options.depth_multiplier << ">";
  }
  if (of_images && options.stride_rows != options.stride_columns) {
    words << ", strides<" << options.stride_rows << ", " << options.stride_columns << ">";
  } else if (options.stride_columns != 1) {
    words << ", strides<" << options.stride_columns << ">";
  }
  if (of_images && options.dilation_rows != options.dilation_columns) {
    words << ", dilation_rate<" << options.dilation_rows << ", " << options.dilation_columns << ">";
  } else if (options.dilation_columns != 1) {
    words << ", dilation_rate<" << options.dilation_columns << ">";
  }
  if (options.groups != 1) {
    words << ", groups<" << options.groups << ">";
  }
  if (options.output_padding_columns >= 0) {
    words << ", output_padding<";
    if (of_images && options.output_padding_rows != options.output_padding_columns) {
      words << options.output_padding_rows << ", ";
    }
    words << options.output_padding_columns << ">";
  }
  if (options.padding != padding_kind::valid) {
    words << ", " << ipu_dsl::name_of(options.padding);
  }
  if (options.activation != activation_kind::linear) {
    words << ", " << ipu_dsl::name_of(options.activation);
  }
  if (options.has_bias == 0) {
    words << ", use_bias<false>";
  }
  return words;
}

constexpr label describe(const family& self, const attributes& attributes) {
  const auto options = attributes.as<convolution_options>();
  label words = self.name;
  return words << "<" << options.filters << ", " << describe_options(options).view() << ">";
}

/// The rows of a picture of so many pixels that is as square as can be: 28 of 784, 1 of a prime.
constexpr std::int32_t rows_of_picture(std::int32_t pixels) {
  std::int32_t rows = 1;
  for (std::int32_t some = 2; some <= 4096 && some <= pixels / some; ++some) {
    rows = pixels % some == 0 ? some : rows;
  }
  return rows;
}

/// What is wrong with an input of another rank.
constexpr problem refuse_rank(std::int32_t axes, const shape& input) {
  if (axes == 1) {
    text<191> hint;
    if (input.rank == 1) {
      hint << "Reshape<" << input[0] << ", 1> makes the vector a sequence of one channel";
    } else {
      hint << "a Conv2D takes an image";
    }
    return refuse_without_steps("a sequence (steps, channels)", ipu_dsl::describe(input), hint);
  }
  text<191> hint;
  if (input.rank == 2) {
    hint << "Reshape<" << input[0] << ", " << input[1]
         << ", 1> makes the picture an image of one channel";
  } else if (input.rank == 4) {
    hint << "the samples of a micro-batch are no axis: input<" << input[1] << ", " << input[2]
         << ", " << input[3] << ">, and micro_batch<" << input[0] << "> of compile";
  } else {
    const std::int32_t pixels = input.rank == 1 ? input[0] : 784;
    const std::int32_t rows = rows_of_picture(pixels);
    hint << "Reshape<" << rows << ", " << pixels / rows << ", 1> makes a vector of " << pixels
         << " an image of one channel";
  }
  return refuse("an image (rows, columns, channels)", ipu_dsl::describe(input), hint);
}

/// "a kernel of at least 1 row and 1 column", "a kernel of at least 1 step"
constexpr problem check_kernel(const convolution_options& options) {
  if (options.kernel_rows > 0 && options.kernel_columns > 0) {
    return {};
  }
  if (options.axes == 1) {
    return refuse("a kernel of at least 1 step", label() << options.kernel_columns);
  }
  return refuse("a kernel of at least 1 row and 1 column",
                label() << options.kernel_rows << " x " << options.kernel_columns);
}

/// Rows and columns, or steps alone.
constexpr label numbers_of(std::int32_t axes, std::int32_t rows, std::int32_t columns) {
  label words;
  if (axes == 2) {
    words << rows << " and ";
  }
  return words << columns;
}

constexpr problem check_steps(const convolution_options& options) {
  if (options.stride_rows <= 0 || options.stride_columns <= 0) {
    return refuse("strides of at least 1",
                  numbers_of(options.axes, options.stride_rows, options.stride_columns));
  }
  if (options.dilation_rows <= 0 || options.dilation_columns <= 0) {
    return refuse("a dilation_rate of at least 1",
                  numbers_of(options.axes, options.dilation_rows, options.dilation_columns));
  }
  const bool strides = options.stride_rows > 1 || options.stride_columns > 1;
  if (strides && (options.dilation_rows > 1 || options.dilation_columns > 1)) {
    return refuse("strides of 1 beside a dilation_rate",
                  label("strides of ")
                      << numbers_of(options.axes, options.stride_rows, options.stride_columns)
                      << " and a dilation_rate of "
                      << numbers_of(options.axes, options.dilation_rows, options.dilation_columns),
                  "Keras refuses both at once as well");
  }
  return {};
}

/// Whether an image looks like one whose channels stand in front: (3, 32, 32).
constexpr bool begins_with_channels(const shape& image) {
  return (image[0] == 1 || image[0] == 3) && image[1] == image[2] && image[1] > 4;
}

/// Fewer filters than the kernel is long are most often a kernel that stands in front of them.
constexpr text<191> hint_of_large_kernel(const convolution_options& options, const shape& image) {
  const bool of_images = options.axes == 2;
  if (of_images && begins_with_channels(image)) {
    return text<191>("channels are the last axis of an image: input<")
           << image[1] << ", " << image[2] << ", " << image[0] << ">";
  }
  const std::int32_t filters = options.filters;
  text<191> hint;
  if (filters > 0 && filters < options.kernel_columns && filters <= image[1] &&
      (!of_images || (options.kernel_rows == options.kernel_columns && filters <= image[0]))) {
    hint << "filters stand before the kernel: Conv" << options.axes << "D<"
         << options.kernel_columns << ", " << filters << ">; ";
  }
  return hint << (of_images ? "same_padding fills the image up with zeros"
                            : "same_padding and causal_padding fill the sequence up with zeros");
}

/// "3 x 5" of an image, "5" of a sequence.
constexpr label extents_of_kernel(std::int32_t axes, std::int32_t rows, std::int32_t columns) {
  label words;
  if (axes == 2) {
    words << rows << " x ";
  }
  return words << columns;
}

constexpr problem check_within(const convolution_options& options, const shape& input) {
  const shape image = as_image(input);
  const std::int32_t rows = (options.kernel_rows - 1) * options.dilation_rows + 1;
  const std::int32_t columns = (options.kernel_columns - 1) * options.dilation_columns + 1;
  if (options.padding != padding_kind::valid || (rows <= image[0] && columns <= image[1])) {
    return {};
  }
  const bool of_images = options.axes == 2;
  label got = extents_of_kernel(options.axes, options.kernel_rows, options.kernel_columns);
  if (rows != options.kernel_rows || columns != options.kernel_columns) {
    got << " dilated to " << extents_of_kernel(options.axes, rows, columns).view();
  }
  got << " on " << ipu_dsl::describe(input);
  return refuse(of_images ? "a kernel within the image" : "a kernel within the sequence", got,
                hint_of_large_kernel(options, image));
}

/// The groups that there may be of so many channels and filters, the largest first.
constexpr text<191> hint_of_groups(std::int32_t channels, std::int32_t filters) {
  constexpr int most = 6;
  const std::int32_t largest = std::gcd(channels, filters);
  text<191> hint;
  if (largest == 1) {
    return "no other number divides both";
  }
  int named = 0;
  for (std::int32_t groups = largest; groups > 0 && named < most; --groups) {
    if (largest % groups == 0) {
      hint << (named == 0 ? "both can be divided by " : ", ") << groups;
      ++named;
    }
  }
  return hint;
}

constexpr problem check_groups(const convolution_options& options, std::int32_t channels) {
  if (options.groups <= 0) {
    return refuse("at least 1 group in groups<...>", label() << options.groups);
  }
  if (channels % options.groups != 0 || options.filters % options.groups != 0) {
    return refuse("groups that divide channels and filters",
                  label() << options.groups << " groups of " << channels << " channels and "
                          << options.filters << " filters",
                  hint_of_groups(channels, options.filters));
  }
  return {};
}

/// What every convolution asks of its kernel and its input.
constexpr problem check_windows(const convolution_options& options, const shape& input) {
  problem found = check_kernel(options);
  if (!found.found()) {
    found = check_steps(options);
  }
  if (!found.found() && options.axes == 2 && options.padding == padding_kind::causal) {
    found = refuse_causal();
  }
  if (!found.found() && input.rank != options.axes + 1) {
    found = refuse_rank(options.axes, input);
  }
  return found.found() ? found : check_within(options, input);
}

constexpr problem refuse_filters(const convolution_options& options) {
  return refuse("at least 1 filter", label() << options.filters);
}

/// All that a convolution asks.
constexpr problem find_fault(const convolution_options& options, const shape& input) {
  if (options.filters <= 0) {
    return refuse_filters(options);
  }
  const problem found = check_windows(options, input);
  return found.found() ? found : check_groups(options, input[options.axes]);
}

}  // namespace convolution_rules

}  // namespace ipu_dsl
