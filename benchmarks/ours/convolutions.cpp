// SPDX-License-Identifier: MIT
// Convolutions by the kernels of this library, as its operators call them.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <ipu_dsl/operators/conv2d.hpp>

#include "peers/convolution.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;
using measure::buffer;
using peers::convolution_contestant;
using peers::convolution_direction;
using peers::convolution_question;
using peers::convolution_shape;

constexpr conv2d_call call_of(const convolution_shape& of, std::int32_t batch) {
  const bool depthwise = of.groups == of.channels && of.groups > 1;
  return {.variant = conv2d_variant::forward,
          .batch = batch,
          .rows = of.rows,
          .columns = of.columns,
          .channels = of.channels,
          .filters = of.filters,
          .kernel_rows = of.kernel_rows,
          .kernel_columns = of.kernel_columns,
          .stride_rows = of.rows == 1 ? 1 : of.stride,
          .stride_columns = of.stride,
          .padding_rows = of.padding_rows,
          .padding_columns = of.padding_columns,
          .output_rows = of.output_rows,
          .output_columns = of.output_columns,
          .activation = activation_kind::linear,
          .has_bias = 1,
          .input_in_one_row = of.channels < 16 ? 1 : 0,
          .dilation_rows = 1,
          .dilation_columns = of.dilation,
          .groups = of.groups,
          .plain_kernel = depthwise ? 1 : 0};
}

constexpr conv2d_call of_variant(conv2d_call call, conv2d_variant variant) {
  call.variant = variant;
  return call;
}

/// Rows [rows, features] as pixels, `stride` from one to the next.
buffer pixels_of(const buffer& rows, std::int32_t features, std::int32_t stride) {
  const std::size_t count = rows.size() / static_cast<std::size_t>(features);
  buffer made = measure::zeros(static_cast<std::int64_t>(count) * stride);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(features);
    const std::size_t column = i % static_cast<std::size_t>(features);
    made[row * static_cast<std::size_t>(stride) + column] = rows[i];
  }
  return made;
}

std::vector<float> rows_of(const buffer& pixels, std::int32_t features, std::int32_t stride) {
  std::vector<float> made;
  for (std::size_t at = 0; at + static_cast<std::size_t>(stride) <= pixels.size();
       at += static_cast<std::size_t>(stride)) {
    for (std::int32_t i = 0; i < features; ++i) {
      made.push_back(pixels[at + static_cast<std::size_t>(i)]);
    }
  }
  return made;
}

template <conv2d_call Call>
void perform(std::initializer_list<void*> operands) {
  const run_context context;
  const float alpha = 0;
  ipu_dsl::operators<&conv2d_family>::run<Call>(context, operands.begin(), &alpha);
}

template <conv2d_call Call, convolution_direction Direction>
class convolution final : public convolution_contestant {
  static constexpr bool forward = Direction == convolution_direction::forward;
  static constexpr bool of_weights = Direction == convolution_direction::weight_gradient;
  static constexpr bool spreads = Call.spreads() && !Call.one_to_one();
  static constexpr std::int32_t taps = Call.kernel_rows * Call.kernel_columns;
  static constexpr std::int32_t rows_of_kernel = taps * Call.depth();
  static constexpr std::int64_t inputs = std::int64_t{Call.batch} * Call.rows * Call.columns;
  static constexpr std::int64_t outputs =
      std::int64_t{Call.batch} * Call.output_rows * Call.output_columns;
  static constexpr std::int32_t channels = Call.channels;
  static constexpr std::int32_t filters = Call.filters;

 public:
  explicit convolution(const convolution_question& question)
      : x_(image_of(question.x)),
        d_(pixels_of(question.d, filters, layout::row_stride(filters))),
        w_(measure::zeros(layout::panel_elements(rows_of_kernel, filters))),
        bias_(measure::zeros(layout::bias_elements(filters))) {
    layout::pack_panels({rows_of_kernel, filters}, question.w, w_);
    std::copy(question.bias.begin(), question.bias.end(), bias_.begin());
    if (forward) {
      made_ = measure::zeros(outputs * layout::row_stride(filters));
      spread_ = measure::zeros(spreads ? inputs * Call.depth() * layout::row_stride(filters) : 0);
    } else if (of_weights) {
      made_ = measure::zeros(static_cast<std::int64_t>(w_.size()));
      spread_ = measure::zeros(spreads ? inputs * Call.depth() * layout::row_stride(filters) : 0);
    } else {
      made_ = measure::zeros(inputs * layout::row_stride(channels));
      spread_ = measure::zeros(
          spreads ? outputs * Call.filters_of_group() * layout::row_stride(channels) : 0);
      transposed_ =
          measure::zeros(layout::panel_elements(taps * Call.filters_of_group(), channels));
      void* kernel = w_.data();
      buffer plain = question.w;
      if constexpr (Call.plain_kernel != 0) {
        kernel = plain.data();
      }
      perform<of_variant(Call, conv2d_variant::transposed_kernel)>({transposed_.data(), kernel});
    }
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      once();
      measure::clobber_memory();
    }
  }

  std::vector<float> result() override {
    run(1);
    if constexpr (forward) {
      return rows_of(made_, filters, layout::row_stride(filters));
    } else if constexpr (!of_weights) {
      return rows_of(made_, channels, layout::row_stride(channels));
    } else {
      std::vector<float> rows(std::size_t{rows_of_kernel} * std::size_t{filters});
      if constexpr (Call.plain_kernel != 0) {
        std::copy_n(made_.begin(), rows.size(), rows.begin());
      } else {
        layout::unpack_panels({rows_of_kernel, filters}, made_, rows);
      }
      return rows;
    }
  }

 private:
  static buffer image_of(const buffer& x) {
    if constexpr (Call.input_in_one_row != 0) {
      constexpr std::int32_t features = Call.rows * Call.columns * channels;
      return pixels_of(x, features, layout::row_stride(features));
    } else {
      return pixels_of(x, channels, layout::row_stride(channels));
    }
  }

  void once() {
    if constexpr (of_weights || forward) {
      float* image = x_.data();
      if constexpr (spreads) {
        perform<of_variant(Call, conv2d_variant::spread_input)>({spread_.data(), image});
        image = spread_.data();
      }
      if constexpr (forward) {
        perform<Call>({made_.data(), image, w_.data(), bias_.data()});
      } else {
        perform<of_variant(Call, conv2d_variant::weight_gradient)>(
            {made_.data(), bias_.data(), image, d_.data()});
      }
    } else {
      float* read = d_.data();
      if constexpr (spreads) {
        perform<of_variant(Call, conv2d_variant::spread_gradient)>({spread_.data(), read});
        read = spread_.data();
      }
      perform<of_variant(Call, conv2d_variant::input_gradient)>(
          {made_.data(), read, transposed_.data()});
    }
  }

  buffer x_;
  buffer d_;
  buffer w_;
  buffer bias_;
  buffer made_;
  buffer spread_;
  buffer transposed_;
};

using made = std::unique_ptr<convolution_contestant>;

template <std::int32_t Batch, std::size_t Place>
made contestant_of(const convolution_question& question) {
  constexpr conv2d_call call = call_of(peers::convolution_shapes[Place], Batch);
  using enum convolution_direction;
  switch (question.direction) {
    case forward:
      return std::make_unique<convolution<call, forward>>(question);
    case weight_gradient:
      return std::make_unique<convolution<call, weight_gradient>>(question);
    case input_gradient:
      break;
  }
  if constexpr (peers::convolution_shapes[Place].kind == peers::convolution_kind::image) {
    return nullptr;
  } else {
    return std::make_unique<convolution<call, input_gradient>>(question);
  }
}

template <std::int32_t Batch, std::size_t... Places>
made of_batch(const convolution_question& question, std::index_sequence<Places...>) {
  made found;
  const auto look = [&]<std::size_t Place>(std::integral_constant<std::size_t, Place>) {
    if (question.place == static_cast<std::int32_t>(Place)) {
      found = contestant_of<Batch, Place>(question);
    }
  };
  (look(std::integral_constant<std::size_t, Places>()), ...);
  return found;
}

made make(const convolution_question& question) {
  constexpr auto places = std::make_index_sequence<std::size(peers::convolution_shapes)>();
  return question.batch == peers::convolution_batches[0]
             ? of_batch<peers::convolution_batches[0]>(question, places)
             : of_batch<peers::convolution_batches[1]>(question, places);
}

const peers::convolution_entry enters(peers::ours, make);

}  // namespace
}  // namespace ours
