// SPDX-License-Identifier: MIT
// What every library is asked about convolutions.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/buffer.hpp"
#include "measure/contestant.hpp"
#include "peers/entries.hpp"

namespace peers {

enum class convolution_direction { forward, input_gradient, weight_gradient };

inline constexpr convolution_direction convolution_directions[] = {
    convolution_direction::forward, convolution_direction::input_gradient,
    convolution_direction::weight_gradient};

/// What a goal is set for.
enum class convolution_kind {
  wide,           ///< from 32 channels on
  few,            ///< fewer
  one_to_six,     ///< as few as those of the first layer of LeNet
  image,          ///< the first layer: nobody wants the gradient of its input
  depthwise,      ///< a filter for each channel
  grouped,        ///< groups of channels
  causal_one,     ///< a sequence of one channel behind its own history
  causal_few,     ///< of a few
  causal_dilated  ///< of many, with a dilation
};

/// The extents of one sample. The image has `padding` positions of nothing before it, and as many
/// behind it as the output needs.
struct convolution_shape {
  convolution_kind kind;
  std::int32_t rows;
  std::int32_t columns;
  std::int32_t channels;
  std::int32_t filters;
  std::int32_t kernel_rows;
  std::int32_t kernel_columns;
  std::int32_t padding_rows;
  std::int32_t padding_columns;
  std::int32_t output_rows;
  std::int32_t output_columns;
  std::int32_t stride = 1;
  std::int32_t dilation = 1;
  std::int32_t groups = 1;

  /// Channels that a filter reads.
  constexpr std::int32_t depth() const { return channels / groups; }

  constexpr std::int32_t taps() const { return kernel_rows * kernel_columns; }

  constexpr std::int64_t outputs() const { return std::int64_t{output_rows} * output_columns; }

  constexpr std::int64_t inputs() const { return std::int64_t{rows} * columns; }

  constexpr std::int64_t weights() const { return std::int64_t{taps()} * depth() * filters; }

  /// Two for each multiply-add, taps in the padding included.
  constexpr double operations() const {
    return 2.0 * static_cast<double>(outputs()) * static_cast<double>(weights());
  }
};

/// A square kernel with a stride of 1 whose outputs are as many as its inputs.
constexpr convolution_shape same_convolution(convolution_kind kind, std::int32_t size,
                                             std::int32_t channels, std::int32_t filters,
                                             std::int32_t kernel, std::int32_t groups = 1) {
  return {.kind = kind,
          .rows = size,
          .columns = size,
          .channels = channels,
          .filters = filters,
          .kernel_rows = kernel,
          .kernel_columns = kernel,
          .padding_rows = kernel / 2,
          .padding_columns = kernel / 2,
          .output_rows = size,
          .output_columns = size,
          .groups = groups};
}

/// Three taps along a sequence that begins with its history.
constexpr convolution_shape causal_convolution(convolution_kind kind, std::int32_t steps,
                                               std::int32_t channels, std::int32_t filters,
                                               std::int32_t dilation = 1) {
  return {.kind = kind,
          .rows = 1,
          .columns = steps + 2 * dilation,
          .channels = channels,
          .filters = filters,
          .kernel_rows = 1,
          .kernel_columns = 3,
          .padding_rows = 0,
          .padding_columns = 0,
          .output_rows = 1,
          .output_columns = steps,
          .dilation = dilation};
}

/// The first layer of a ResNet.
inline constexpr convolution_shape image_convolution{.kind = convolution_kind::image,
                                                     .rows = 224,
                                                     .columns = 224,
                                                     .channels = 3,
                                                     .filters = 64,
                                                     .kernel_rows = 7,
                                                     .kernel_columns = 7,
                                                     .padding_rows = 3,
                                                     .padding_columns = 3,
                                                     .output_rows = 112,
                                                     .output_columns = 112,
                                                     .stride = 2};

inline constexpr convolution_shape convolution_shapes[] = {
    same_convolution(convolution_kind::wide, 56, 32, 32, 3),
    same_convolution(convolution_kind::wide, 56, 64, 64, 3),
    same_convolution(convolution_kind::wide, 14, 256, 256, 3),
    same_convolution(convolution_kind::wide, 7, 512, 512, 3),
    same_convolution(convolution_kind::wide, 56, 64, 256, 1),
    same_convolution(convolution_kind::wide, 56, 256, 64, 1),
    same_convolution(convolution_kind::wide, 7, 512, 2048, 1),
    image_convolution,
    same_convolution(convolution_kind::few, 32, 3, 32, 3),
    same_convolution(convolution_kind::few, 32, 16, 16, 3),
    same_convolution(convolution_kind::one_to_six, 28, 1, 6, 5),
    same_convolution(convolution_kind::few, 14, 6, 16, 5),
    same_convolution(convolution_kind::depthwise, 56, 64, 64, 3, 64),
    same_convolution(convolution_kind::depthwise, 14, 512, 512, 3, 512),
    same_convolution(convolution_kind::grouped, 28, 128, 128, 3, 4),
    same_convolution(convolution_kind::grouped, 28, 128, 128, 3, 32),
    causal_convolution(convolution_kind::causal_one, 64, 1, 16),
    causal_convolution(convolution_kind::causal_few, 64, 16, 16),
    causal_convolution(convolution_kind::causal_dilated, 256, 64, 64, 16)};

inline constexpr std::int32_t convolution_batches[] = {1, 8};

/// Buffers lie in rows of the last axis.
struct convolution_question {
  convolution_direction direction = convolution_direction::forward;
  convolution_shape shape = {};
  std::int32_t place = 0;  ///< of the shape in the list
  std::int32_t batch = 0;
  measure::buffer x = {};     ///< [batch, rows, columns, channels]
  measure::buffer w = {};     ///< [kernel rows, kernel columns, channels of a group, filters]
  measure::buffer bias = {};  ///< [filters]
  measure::buffer d = {};     ///< [batch, output rows, output columns, filters]
};

/// Forward with a bias and without an activation; the gradient of the weights with that of the
/// bias. How the weights are laid out is not counted.
class convolution_contestant : public measure::contestant {
 public:
  /// y, the gradient of x or that of w, in rows.
  virtual std::vector<float> result() = 0;
};

using convolution_entry = entered<convolution_question, convolution_contestant>;

}  // namespace peers
