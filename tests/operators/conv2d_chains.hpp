// SPDX-License-Identifier: MIT
// Kernels of two-dimensional convolutions against chains that are written out: forward, both
// gradients, whole and in parts.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <ipu_dsl/operators/conv2d.hpp>

#include "kernels/reference.hpp"
#include "support/catch2.hpp"
#include "support/made_in_parts.hpp"

namespace ipu_dsl::test {

/// Same padding as the layer's own rules place it.
constexpr conv2d_call call_on(std::int32_t batch, shape image, std::int32_t filters,
                              kernel_size kernel, std::int32_t stride, bool same, bool in_one_row,
                              std::int32_t dilation = 1, std::int32_t groups = 1,
                              bool plain = false) {
  const padding_kind padding = same ? padding_kind::same : padding_kind::valid;
  const window_placing rows(image[0], kernel.rows, stride, padding, dilation);
  const window_placing columns(image[1], kernel.columns, stride, padding, dilation);
  return {.variant = conv2d_variant::forward,
          .batch = batch,
          .rows = image[0],
          .columns = image[1],
          .channels = image[2],
          .filters = filters,
          .kernel_rows = kernel.rows,
          .kernel_columns = kernel.columns,
          .stride_rows = stride,
          .stride_columns = stride,
          .padding_rows = rows.padding,
          .padding_columns = columns.padding,
          .output_rows = rows.outputs,
          .output_columns = columns.outputs,
          .activation = activation_kind::linear,
          .has_bias = 1,
          .input_in_one_row = in_one_row ? 1 : 0,
          .dilation_rows = dilation,
          .dilation_columns = dilation,
          .groups = groups,
          .plain_kernel = plain ? 1 : 0};
}

constexpr conv2d_call of_variant(conv2d_call call, conv2d_variant variant) {
  call.variant = variant;
  return call;
}

/// Images and weights of a call, and where a number of them lies.
struct operands {
  conv2d_call call;
  buffer x;
  buffer d;
  buffer w;
  buffer bias;

  explicit operands(const conv2d_call& of)
      : call(of),
        x(of.input_in_one_row != 0 ? random_rows(of.batch, of.rows * of.columns * of.channels, 1)
                                   : random_rows(of.batch * of.rows * of.columns, of.channels, 1)),
        d(random_rows(of.batch * of.output_rows * of.output_columns, of.filters, 2)),
        w(of.plain_kernel != 0
              ? random_rows(1, of.kernel_rows * of.kernel_columns * of.filters, 3)
              : random_panels(of.kernel_rows * of.kernel_columns * of.depth(), of.filters, 3)),
        bias(random_bias(of.filters, 4)) {}

  std::int64_t input_at(int sample, int row, int column, int channel) const {
    const int pixel = row * call.columns + column;
    if (call.input_in_one_row != 0) {
      const int stride = layout::row_stride(call.rows * call.columns * call.channels);
      return std::int64_t{sample} * stride + pixel * call.channels + channel;
    }
    return pixel_at(sample * call.rows * call.columns + pixel, channel, call.channels);
  }

  std::int64_t output_at(int sample, int row, int column, int filter) const {
    return pixel_at((sample * call.output_rows + row) * call.output_columns + column, filter,
                    call.filters);
  }

  /// From number `k` of the channels of a group.
  std::int64_t weight_at(int row, int column, int k, int filter) const {
    const layout::panels place(call.kernel_rows * call.kernel_columns * call.depth(), call.filters);
    const int at = (row * call.kernel_columns + column) * call.depth() + k;
    return call.plain_kernel != 0 ? at * call.filters + filter : place.offset(at, filter);
  }

  /// Number `k` of the channels that a filter reads.
  int channel_of(int filter, int k) const {
    return filter / call.filters_of_group() * call.depth() + k;
  }

  static std::int64_t pixel_at(std::int64_t pixel, int feature, int features) {
    return pixel * layout::row_stride(features) + feature;
  }

  /// Calls `visit(kernel row, kernel column, row, column)` for the taps of an output that meet the
  /// image, in order.
  template <typename Visit>
  void for_taps(int output_row, int output_column, const Visit& visit) const {
    for (int ky = 0; ky < call.kernel_rows; ++ky) {
      for (int kx = 0; kx < call.kernel_columns; ++kx) {
        const int row = output_row * call.stride_rows + ky * call.dilation_rows - call.padding_rows;
        const int column =
            output_column * call.stride_columns + kx * call.dilation_columns - call.padding_columns;
        if (row >= 0 && row < call.rows && column >= 0 && column < call.columns) {
          visit(ky, kx, row, column);
        }
      }
    }
  }
};

/// Numbers, and steps of chains, since a case has set it to 0.
inline int checked = 0;

template <conv2d_call Call>
void run(std::initializer_list<void*> operands, grain part = {}, bool continues = false) {
  run_context context;
  context.part = part;
  context.continues = continues;
  const float alpha = 0;
  ipu_dsl::operators<&conv2d_family>::run<Call>(context, operands.begin(), &alpha);
}

/// A call, and its kernels: what is checked of them is compiled once for all calls.
struct conv2d_kernels {
  using kernel = void (*)(std::initializer_list<void*> operands, grain part, bool continues);

  conv2d_call call;
  kernel forward;
  kernel input_gradient;
  kernel weight_gradient;
  kernel transposed_kernel;
  kernel spread_input = nullptr;     ///< of those that read what is laid out
  kernel spread_gradient = nullptr;  ///< the same
  kernel packed_kernel = nullptr;    ///< of those whose kernel lies plainly
};

template <conv2d_call Call>
constexpr conv2d_kernels kernels_of() {
  conv2d_kernels made{
      .call = Call,
      .forward = run<Call>,
      .input_gradient = run<of_variant(Call, conv2d_variant::input_gradient)>,
      .weight_gradient = run<of_variant(Call, conv2d_variant::weight_gradient)>,
      .transposed_kernel = run<of_variant(Call, conv2d_variant::transposed_kernel)>};
  if constexpr (Call.spreads()) {
    made.spread_input = run<of_variant(Call, conv2d_variant::spread_input)>;
    made.spread_gradient = run<of_variant(Call, conv2d_variant::spread_gradient)>;
  }
  if constexpr (Call.plain_kernel != 0) {
    made.packed_kernel = run<of_variant(Call, conv2d_variant::packed_kernel)>;
  }
  return made;
}

/// What a kernel writes from one operand, whole and in parts.
inline buffer written_by(conv2d_kernels::kernel write, std::int64_t floats, buffer& read) {
  return made_in_parts(buffer(floats),
                       [&](float* to, grain part) { write({to, read.data()}, part, false); });
}

/// The image as the product reads it.
inline buffer image_read(const conv2d_kernels& of, operands& given) {
  if (of.spread_input == nullptr) {
    return given.x;
  }
  const std::int64_t numbers =
      std::int64_t{of.call.batch} * of.call.rows * of.call.columns * of.call.depth();
  return written_by(of.spread_input, numbers * layout::row_stride(of.call.filters), given.x);
}

/// The same of the gradient.
inline buffer gradient_read(const conv2d_kernels& of, operands& given) {
  if (of.spread_gradient == nullptr) {
    return given.d;
  }
  const std::int64_t numbers = std::int64_t{of.call.batch} * of.call.output_rows *
                               of.call.output_columns * of.call.filters_of_group();
  return written_by(of.spread_gradient, numbers * layout::row_stride(of.call.channels), given.d);
}

/// The same of the kernel.
inline buffer kernel_read(const conv2d_kernels& of, operands& given) {
  if (of.packed_kernel == nullptr) {
    return given.w;
  }
  const std::int32_t inputs = of.call.kernel_rows * of.call.kernel_columns * of.call.depth();
  return written_by(of.packed_kernel, layout::panel_elements(inputs, of.call.filters), given.w);
}

inline void check_forward(const conv2d_kernels& of) {
  const conv2d_call& call = of.call;
  operands given(call);
  buffer image = image_read(of, given);
  buffer weights = kernel_read(of, given);
  const buffer y = made_in_parts(buffer(given.d.size()), [&](float* to, grain part) {
    of.forward({to, image.data(), weights.data(), given.bias.data()}, part, false);
  });
  int wrong = 0;
  for (int sample = 0; sample < call.batch; ++sample) {
    for (int row = 0; row < call.output_rows; ++row) {
      for (int column = 0; column < call.output_columns; ++column) {
        for (int filter = 0; filter < call.filters; ++filter) {
          float chain = given.bias[filter];
          given.for_taps(row, column, [&](int ky, int kx, int from_row, int from_column) {
            for (int k = 0; k < call.depth(); ++k) {
              const int channel = given.channel_of(filter, k);
              chain = chain_step(given.x[given.input_at(sample, from_row, from_column, channel)],
                                 given.w[given.weight_at(ky, kx, k, filter)], chain);
            }
          });
          const float got = y[given.output_at(sample, row, column, filter)];
          wrong += same_bits(got, chain) ? 0 : 1;
          ++checked;
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(padding_is_zero(y, call.batch * call.output_rows * call.output_columns, call.filters));
}

inline void check_input_gradient(const conv2d_kernels& of) {
  const conv2d_call& call = of.call;
  const std::int32_t taps = call.kernel_rows * call.kernel_columns;
  const std::int32_t pixels = call.batch * call.rows * call.columns;
  operands given(call);
  buffer transposed(layout::panel_elements(taps * call.filters_of_group(), call.channels));
  of.transposed_kernel({transposed.data(), given.w.data()}, {}, false);
  CHECK(transposed.intact());
  buffer d = gradient_read(of, given);
  const buffer dx = made_in_parts(
      buffer(std::int64_t{pixels} * layout::row_stride(call.channels)), [&](float* to, grain part) {
        of.input_gradient({to, d.data(), transposed.data()}, part, false);
      });
  buffer expected(dx.size(), 0.0F);
  // By kernel position, so that each chain is in order of these.
  for (int tap = 0; tap < taps; ++tap) {
    for (int output = 0; output < call.batch * call.output_rows * call.output_columns; ++output) {
      const int sample = output / (call.output_rows * call.output_columns);
      const int place = output % (call.output_rows * call.output_columns);
      const int place_row = place / call.output_columns;
      const int place_column = place % call.output_columns;
      given.for_taps(place_row, place_column, [&](int ky, int kx, int row, int column) {
        if (ky * call.kernel_columns + kx == tap) {
          for (int channel = 0; channel < call.channels; ++channel) {
            float& chain = expected[operands::pixel_at(
                (sample * call.rows + row) * call.columns + column, channel, call.channels)];
            for (int i = 0; i < call.filters_of_group(); ++i) {
              const int filter = channel / call.depth() * call.filters_of_group() + i;
              chain = chain_step(given.d[given.output_at(sample, place_row, place_column, filter)],
                                 given.w[given.weight_at(ky, kx, channel % call.depth(), filter)],
                                 chain);
              ++checked;
            }
          }
        }
      });
    }
  }
  CHECK(same_bits(dx.view(), expected.view()));
}

inline void check_weight_gradient(const conv2d_kernels& of, bool continues) {
  const conv2d_call& call = of.call;
  operands given(call);
  buffer image = image_read(of, given);
  buffer expected = sums_before(given.w, given.bias, continues);
  const buffer sums = made_in_parts(expected, [&](float* to, grain part) {
    of.weight_gradient({to, to + given.w.size(), image.data(), given.d.data()}, part, continues);
  });
  for (int output = 0; output < call.batch * call.output_rows * call.output_columns; ++output) {
    const int sample = output / (call.output_rows * call.output_columns);
    const int place = output % (call.output_rows * call.output_columns);
    const int place_row = place / call.output_columns;
    const int place_column = place % call.output_columns;
    for (int filter = 0; filter < call.filters; ++filter) {
      const float d = given.d[given.output_at(sample, place_row, place_column, filter)];
      expected[given.w.size() + filter] += d;
      given.for_taps(place_row, place_column, [&](int ky, int kx, int row, int column) {
        for (int k = 0; k < call.depth(); ++k) {
          const int channel = given.channel_of(filter, k);
          float& chain = expected[given.weight_at(ky, kx, k, filter)];
          chain = chain_step(given.x[given.input_at(sample, row, column, channel)], d, chain);
          ++checked;
        }
      });
    }
  }
  CHECK(same_bits(sums.view(), expected.view()));
}

template <conv2d_call Call>
void check_all() {
  INFO(Call.rows << " x " << Call.columns << " x " << Call.channels << ", " << Call.filters
                 << " filters of " << Call.kernel_rows << " x " << Call.kernel_columns);
  constexpr conv2d_kernels of = kernels_of<Call>();
  check_forward(of);
  check_input_gradient(of);
  check_weight_gradient(of, false);
  check_weight_gradient(of, true);
}

inline constexpr int vector = lanes;

}  // namespace ipu_dsl::test
