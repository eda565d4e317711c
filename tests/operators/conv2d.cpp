// SPDX-License-Identifier: MIT
// Tests of operators/conv2d.hpp and of the kernels behind it, kernels/window_product.hpp and
// kernels/window_gradient.hpp: every number is one chain in the order that is promised, and parts
// make the whole.
#include <cstdio>

#include <ipu_dsl/operators/conv2d.hpp>

#include "kernels/reference.hpp"
#include "support/catch2.hpp"
#include "support/made_in_parts.hpp"

namespace {

using namespace ipu_dsl;

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
  test::buffer x;
  test::buffer d;
  test::buffer w;
  test::buffer bias;

  explicit operands(const conv2d_call& of)
      : call(of),
        x(of.input_in_one_row != 0
              ? test::random_rows(of.batch, of.rows * of.columns * of.channels, 1)
              : test::random_rows(of.batch * of.rows * of.columns, of.channels, 1)),
        d(test::random_rows(of.batch * of.output_rows * of.output_columns, of.filters, 2)),
        w(of.plain_kernel != 0
              ? test::random_rows(1, of.kernel_rows * of.kernel_columns * of.filters, 3)
              : test::random_panels(of.kernel_rows * of.kernel_columns * of.depth(), of.filters,
                                    3)),
        bias(test::random_bias(of.filters, 4)) {}

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

int checked = 0;

template <conv2d_call Call>
void run(std::initializer_list<void*> operands, grain part = {}, bool continues = false) {
  run_context context;
  context.part = part;
  context.continues = continues;
  const float alpha = 0;
  ipu_dsl::operators<&conv2d_family>::run<Call>(context, operands.begin(), &alpha);
}

/// What a call writes from one operand, whole and in parts.
template <conv2d_call Call>
test::buffer written_by(std::int64_t floats, test::buffer& read) {
  return test::made_in_parts(test::buffer(floats),
                             [&](float* to, grain part) { run<Call>({to, read.data()}, part); });
}

/// The image as the product reads it.
template <conv2d_call Call>
test::buffer image_read(operands& given) {
  if constexpr (!Call.lanewise()) {
    return given.x;
  } else {
    return written_by<of_variant(Call, conv2d_variant::spread_input)>(
        std::int64_t{Call.batch} * Call.rows * Call.columns * Call.depth() *
            layout::row_stride(Call.filters),
        given.x);
  }
}

/// The same of the gradient.
template <conv2d_call Call>
test::buffer gradient_read(operands& given) {
  if constexpr (!Call.lanewise()) {
    return given.d;
  } else {
    return written_by<of_variant(Call, conv2d_variant::spread_gradient)>(
        std::int64_t{Call.batch} * Call.output_rows * Call.output_columns *
            Call.filters_of_group() * layout::row_stride(Call.channels),
        given.d);
  }
}

/// The same of the kernel.
template <conv2d_call Call>
test::buffer kernel_read(operands& given) {
  if constexpr (Call.plain_kernel == 0) {
    return given.w;
  } else {
    return written_by<of_variant(Call, conv2d_variant::packed_kernel)>(
        layout::panel_elements(Call.kernel_rows * Call.kernel_columns * Call.depth(), Call.filters),
        given.w);
  }
}

template <conv2d_call Call>
void check_forward() {
  operands given(Call);
  test::buffer image = image_read<Call>(given);
  test::buffer weights = kernel_read<Call>(given);
  const test::buffer y =
      test::made_in_parts(test::buffer(given.d.size()), [&](float* to, grain part) {
        run<Call>({to, image.data(), weights.data(), given.bias.data()}, part);
      });
  int wrong = 0;
  for (int sample = 0; sample < Call.batch; ++sample) {
    for (int row = 0; row < Call.output_rows; ++row) {
      for (int column = 0; column < Call.output_columns; ++column) {
        for (int filter = 0; filter < Call.filters; ++filter) {
          float chain = given.bias[filter];
          given.for_taps(row, column, [&](int ky, int kx, int from_row, int from_column) {
            for (int k = 0; k < Call.depth(); ++k) {
              const int channel = given.channel_of(filter, k);
              chain =
                  test::chain_step(given.x[given.input_at(sample, from_row, from_column, channel)],
                                   given.w[given.weight_at(ky, kx, k, filter)], chain);
            }
          });
          const float got = y[given.output_at(sample, row, column, filter)];
          wrong += test::same_bits(got, chain) ? 0 : 1;
          ++checked;
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(
      test::padding_is_zero(y, Call.batch * Call.output_rows * Call.output_columns, Call.filters));
}

template <conv2d_call Call>
void check_input_gradient() {
  constexpr std::int32_t taps = Call.kernel_rows * Call.kernel_columns;
  constexpr std::int32_t pixels = Call.batch * Call.rows * Call.columns;
  operands given(Call);
  test::buffer transposed(layout::panel_elements(taps * Call.filters_of_group(), Call.channels));
  run<of_variant(Call, conv2d_variant::transposed_kernel)>({transposed.data(), given.w.data()});
  CHECK(transposed.intact());
  test::buffer d = gradient_read<Call>(given);
  const test::buffer dx =
      test::made_in_parts(test::buffer(std::int64_t{pixels} * layout::row_stride(Call.channels)),
                          [&](float* to, grain part) {
                            run<of_variant(Call, conv2d_variant::input_gradient)>(
                                {to, d.data(), transposed.data()}, part);
                          });
  test::buffer expected(dx.size(), 0.0F);
  // By kernel position, so that each chain is in order of these.
  for (int tap = 0; tap < taps; ++tap) {
    for (int output = 0; output < Call.batch * Call.output_rows * Call.output_columns; ++output) {
      const int sample = output / (Call.output_rows * Call.output_columns);
      const int place = output % (Call.output_rows * Call.output_columns);
      const int place_row = place / Call.output_columns;
      const int place_column = place % Call.output_columns;
      given.for_taps(place_row, place_column, [&](int ky, int kx, int row, int column) {
        if (ky * Call.kernel_columns + kx == tap) {
          for (int channel = 0; channel < Call.channels; ++channel) {
            float& chain = expected[operands::pixel_at(
                (sample * Call.rows + row) * Call.columns + column, channel, Call.channels)];
            for (int i = 0; i < Call.filters_of_group(); ++i) {
              const int filter = channel / Call.depth() * Call.filters_of_group() + i;
              chain = test::chain_step(
                  given.d[given.output_at(sample, place_row, place_column, filter)],
                  given.w[given.weight_at(ky, kx, channel % Call.depth(), filter)], chain);
              ++checked;
            }
          }
        }
      });
    }
  }
  CHECK(test::same_bits(dx.view(), expected.view()));
}

/// Of a transposed convolution: each number of the image is the chain of an input gradient from its
/// bias.
template <conv2d_call Call>
void check_transposed_forward() {
  constexpr std::int32_t pixels = Call.batch * Call.rows * Call.columns;
  operands given(Call);
  test::buffer bias = test::random_bias(Call.channels, 5);
  test::buffer transposed(
      layout::panel_elements(Call.kernel_rows * Call.kernel_columns * Call.filters, Call.channels));
  run<of_variant(Call, conv2d_variant::transposed_kernel)>({transposed.data(), given.w.data()});
  const test::buffer image =
      test::made_in_parts(test::buffer(std::int64_t{pixels} * layout::row_stride(Call.channels)),
                          [&](float* to, grain part) {
                            run<of_variant(Call, conv2d_variant::transposed_forward)>(
                                {to, given.d.data(), transposed.data(), bias.data()}, part);
                          });
  int wrong = 0;
  for (int at = 0; at < pixels * Call.channels; ++at) {
    const int pixel = at / Call.channels;
    const int channel = at % Call.channels;
    const int sample = pixel / (Call.rows * Call.columns);
    float chain = bias[channel];
    for (int tap = 0; tap < Call.kernel_rows * Call.kernel_columns; ++tap) {
      for (int place = 0; place < Call.output_rows * Call.output_columns; ++place) {
        const int place_row = place / Call.output_columns;
        const int place_column = place % Call.output_columns;
        given.for_taps(place_row, place_column, [&](int ky, int kx, int row, int column) {
          const bool met = ky * Call.kernel_columns + kx == tap &&
                           (sample * Call.rows + row) * Call.columns + column == pixel;
          for (int filter = 0; met && filter < Call.filters; ++filter) {
            chain =
                test::chain_step(given.d[given.output_at(sample, place_row, place_column, filter)],
                                 given.w[given.weight_at(ky, kx, channel, filter)], chain);
          }
        });
      }
    }
    wrong +=
        test::same_bits(image[operands::pixel_at(pixel, channel, Call.channels)], chain) ? 0 : 1;
    ++checked;
  }
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(image, pixels, Call.channels));
}

/// The gradient of that bias.
template <conv2d_call Call>
void check_bias_gradient() {
  constexpr std::int32_t pixels = Call.batch * Call.rows * Call.columns;
  test::buffer d = test::random_rows(pixels, Call.channels, 6);
  test::buffer expected = test::random_bias(Call.channels, 7);
  const test::buffer sums = test::made_in_parts(expected, [&](float* to, grain part) {
    run<of_variant(Call, conv2d_variant::bias_gradient)>({to, d.data()}, part, true);
  });
  for (int pixel = 0; pixel < pixels; ++pixel) {
    for (int channel = 0; channel < Call.channels; ++channel) {
      expected[channel] += d[operands::pixel_at(pixel, channel, Call.channels)];
      ++checked;
    }
  }
  CHECK(test::same_bits(sums.view(), expected.view()));
}

template <conv2d_call Call>
void check_weight_gradient(bool continues) {
  operands given(Call);
  test::buffer image = image_read<Call>(given);
  test::buffer expected = test::sums_before(given.w, given.bias, continues);
  const test::buffer sums = test::made_in_parts(expected, [&](float* to, grain part) {
    run<of_variant(Call, conv2d_variant::weight_gradient)>(
        {to, to + given.w.size(), image.data(), given.d.data()}, part, continues);
  });
  for (int output = 0; output < Call.batch * Call.output_rows * Call.output_columns; ++output) {
    const int sample = output / (Call.output_rows * Call.output_columns);
    const int place = output % (Call.output_rows * Call.output_columns);
    const int place_row = place / Call.output_columns;
    const int place_column = place % Call.output_columns;
    for (int filter = 0; filter < Call.filters; ++filter) {
      const float d = given.d[given.output_at(sample, place_row, place_column, filter)];
      expected[given.w.size() + filter] += d;
      given.for_taps(place_row, place_column, [&](int ky, int kx, int row, int column) {
        for (int k = 0; k < Call.depth(); ++k) {
          const int channel = given.channel_of(filter, k);
          float& chain = expected[given.weight_at(ky, kx, k, filter)];
          chain = test::chain_step(given.x[given.input_at(sample, row, column, channel)], d, chain);
          ++checked;
        }
      });
    }
  }
  CHECK(test::same_bits(sums.view(), expected.view()));
}

template <conv2d_call Call>
void check_all() {
  INFO(Call.rows << " x " << Call.columns << " x " << Call.channels << ", " << Call.filters
                 << " filters of " << Call.kernel_rows << " x " << Call.kernel_columns);
  check_forward<Call>();
  check_input_gradient<Call>();
  check_weight_gradient<Call>(false);
  check_weight_gradient<Call>(true);
}

constexpr int vector = test::lanes;

}  // namespace

TEST_CASE("numbers of convolutions are chains over kernel rows, kernel columns and channels") {
  checked = 0;
  check_all<call_on(2, {7, 5, 3}, vector + 1, {3, 3}, 1, true, true)>();
  check_all<call_on(2, {7, 5, 3}, 2 * vector, {3, 3}, 1, false, false)>();
  check_all<call_on(1, {9, 11, vector}, 4 * vector + 3, {3, 3}, 2, true, false)>();
  check_all<call_on(3, {6, 7, 5}, 6, {1, 1}, 1, false, false)>();
  check_all<call_on(2, {8, 9, 2}, 3, {1, 1}, 2, true, true)>();
  check_all<call_on(1, {5, 8, vector + 3}, 7, {4, 2}, 1, true, false)>();
  check_all<call_on(2, {6, 29, 1}, 10, {2, 4}, 3, false, true)>();
  check_all<call_on(2, {2, 3, 2}, 3, {5, 7}, 1, true, false)>();
  check_all<call_on(2, {5, 13, 1}, 6, {5, 5}, 1, true, true)>();
  check_all<call_on(1, {7, 7, 2}, 3, {2, 2}, 4, false, false)>();
  check_all<call_on(2, {7, 9, 3}, 6, {2, 3}, 1, true, false, 2)>();
  check_all<call_on(1, {1, 11, 2}, 5, {1, 4}, 1, false, true, 3)>();
  check_all<call_on(1, {4, 3, 2}, 3, {3, 3}, 1, true, true, 5)>();
  // Few channels and so long a kernel that vectors of units go in pairs.
  check_all<call_on(2, {9, 12, 3}, 4 * vector, {7, 7}, 2, true, true)>();
  check_all<call_on(1, {6, 9, 4}, 2 * vector - 3, {2, 5}, 1, true, false)>();
  check_all<call_on(2, {5, 14, 3}, 6 * vector, {3, 6}, 1, false, true, 2)>();
  // So many channels that a sum leaves the registers from tap to tap.
  check_all<call_on(2, {7, 7, 40}, 2 * vector + 5, {3, 3}, 1, true, false)>();
  check_all<call_on(1, {6, 9, 35}, 37, {4, 5}, 2, true, false)>();
  check_all<call_on(1, {2, 31, 33}, 3 * vector, {2, 3}, 1, true, false, 9)>();
  check_all<call_on(2, {5, 6, 48}, 33, {2, 3}, 1, false, false)>();
  // Several tiles of pixels as lanes, and so long rims that a tile there asks about each tap.
  check_all<call_on(2, {6, 5 * vector - 3, 1}, 6, {5, 5}, 1, true, true)>();
  check_all<call_on(1, {3, 3 * vector, 2}, 5, {3, 2}, 1, true, false, 1)>();
  check_all<call_on(1, {1, 90, 2}, vector, {1, 3}, 1, true, false, 40)>();
  // So few filters that a vector has them twice, for two numbers of the image.
  constexpr int twice = vector / 2;
  check_all<call_on(2, {5, 13, 1}, twice, {5, 5}, 1, true, true)>();
  check_all<call_on(1, {9, 12, 3}, twice, {4, 3}, 2, true, true)>();
  check_all<call_on(2, {6, 29, 1}, twice, {2, 4}, 3, false, true)>();
  check_all<call_on(2, {2, 3, 2}, twice, {5, 7}, 1, true, true)>();
  check_all<call_on(1, {4, 3, 1}, twice, {3, 3}, 5, true, true)>();
  check_all<call_on(1, {1, 40, 1}, twice, {1, 9}, 1, true, true)>();
  check_all<call_on(2, {3, 6, vector}, twice, {2, 2}, 1, true, false)>();
  // Groups, and depthwise kernels.
  check_all<call_on(1, {1, 150, 3}, 3, {1, 3}, 1, true, false, 60, 3, true)>();
  check_all<call_on(2, {6, 5, 4}, 6, {3, 3}, 1, true, true, 1, 2)>();
  check_all<call_on(1, {7, 9, 2 * vector}, 4 * vector, {3, 2}, 2, true, false, 1, 2)>();
  check_all<call_on(2, {5, 6, 32}, 64, {3, 3}, 1, true, false, 1, 2)>();
  check_all<call_on(1, {4, 9, 48}, 48, {2, 3}, 2, true, false, 1, 3)>();
  check_all<call_on(2, {5, 6, 3}, 3, {3, 3}, 1, true, false, 1, 3, true)>();
  check_all<call_on(1, {9, 17, 2 * vector + 3}, 4 * vector + 6, {3, 5}, 2, false, false, 1,
                    2 * vector + 3, true)>();
  check_all<call_on(1, {4, 21, vector}, vector, {2, 11}, 1, true, false, 2, vector, true)>();
  check_all<call_on(2, {3, 2, 1}, 2, {5, 7}, 1, true, true, 1, 1, true)>();
  // Several lines of them at once, and lines that are left.
  check_all<call_on(2, {10, 23, 2 * vector + 3}, 2 * vector + 3, {3, 3}, 1, true, false, 1,
                    2 * vector + 3, true)>();
  check_all<call_on(1, {11, 9, vector}, vector, {2, 4}, 1, false, false, 1, vector, true)>();
  check_all<call_on(2, {9, 4, vector}, 2 * vector, {4, 2}, 1, true, false, 1, vector, true)>();
  CHECK(checked > 0);
  std::printf("convolutions: checked %d numbers and steps of chains\n", checked);
}

namespace {

template <conv2d_call Call>
constexpr bool walks_blocks() {
  constexpr kernels::window_product product = conv2d_code::forward_of(Call);
  return kernels::lines_of_gradient_block(product, layout::native) < product.lines();
}

}  // namespace

TEST_CASE("chains of convolutions go on from one block of lines to the next") {
  checked = 0;
  constexpr conv2d_call wide = call_on(2, {20, 40, 16}, 6 * vector, {3, 3}, 1, true, false);
  static_assert(walks_blocks<wide>());
  check_all<wide>();
  constexpr conv2d_call square =
      call_on(3, {20, 40, 4 * vector}, 4 * vector, {1, 1}, 1, false, false);
  static_assert(walks_blocks<square>());
  check_all<square>();
  // One panel, and blocks that end within a sample.
  constexpr conv2d_call narrow = call_on(6, {40, 40, vector}, vector, {3, 3}, 1, true, false);
  static_assert(walks_blocks<narrow>());
  check_all<narrow>();
  CHECK(checked > 0);
  std::printf("blocks of lines: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("weights that stay in registers make the same chains") {
  checked = 0;
  constexpr conv2d_call causal = call_on(2, {1, 70, 1}, 2 * vector, {1, 3}, 1, true, true);
  static_assert(kernels::holds_weights(conv2d_code::forward_of(causal), 2, layout::native) ==
                (vector == 8));
  check_all<causal>();
  check_all<call_on(2, {6, 40, 1}, vector - 1, {3, 3}, 1, true, false)>();
  check_all<call_on(1, {3, 61, 2}, 4 * vector, {1, 2}, 2, false, true)>();
  check_all<call_on(2, {5, 45, 3}, vector, {2, 1}, 1, true, true, 2)>();
  check_all<call_on(1, {2, 64, 2}, 2 * vector, {1, 2}, 1, true, false, 4)>();
  CHECK(checked > 0);
  std::printf("weights in registers: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("outputs that a weight gradient copies are those that it would read") {
  checked = 0;
  constexpr conv2d_call square = call_on(2, {13, 11, 9}, 256, {1, 1}, 1, false, false);
  static_assert(kernels::copies_outputs(conv2d_code::forward_of(square), layout::native) ==
                (vector == 8));
  check_all<square>();
  // Fewer lines than go together, some of which meet nothing, and strides.
  check_all<call_on(1, {4, 6, 13}, 256, {3, 3}, 1, true, false)>();
  check_all<call_on(2, {9, 7, 8}, 512, {2, 3}, 2, true, true)>();
  check_all<call_on(1, {2, 115, 3}, 256, {2, 1}, 1, true, false)>();
  CHECK(checked > 0);
  std::printf("copied outputs: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("pixels of a depthwise convolution that collide make the same chains") {
  checked = 0;
  // Its vectors lie three to a panel, so that some pairs are of two panels.
  constexpr conv2d_call wide = call_on(1, {5, 10, 256}, 256, {3, 3}, 1, true, false, 1, 256, true);
  constexpr kernels::window_product product = conv2d_code::forward_of(wide);
  static_assert(kernels::lanewise_tile_vectors<layout::native, product>() == (vector == 8 ? 2 : 1));
  check_all<wide>();
  check_all<call_on(1, {4, 5, 512}, 512, {2, 3}, 1, false, false, 1, 512, true)>();
  // A weight gradient copies lines of which there are more than find room together.
  constexpr conv2d_call blocks =
      call_on(2, {9, 38, 256}, 256, {3, 2}, 2, true, false, 1, 256, true);
  static_assert(kernels::copies_lines<layout::native, conv2d_code::forward_of(blocks)>() ==
                (vector == 8));
  static_assert(vector != 8 ||
                kernels::line_copies<layout::native, conv2d_code::forward_of(blocks)>::lines <
                    blocks.output_rows);
  check_all<blocks>();
  CHECK(checked > 0);
  std::printf("colliding pixels: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("numbers of transposed convolutions are chains over kernel rows, columns and filters") {
  checked = 0;
  check_transposed_forward<call_on(2, {7, 6, 3}, 5, {3, 3}, 2, true, false)>();
  check_transposed_forward<call_on(1, {9, 11, vector + 3}, 4, {3, 2}, 2, false, false)>();
  check_transposed_forward<call_on(1, {5, 7, 2}, 3, {1, 2}, 3, true, false)>();
  check_transposed_forward<call_on(2, {1, 9, 2}, 3, {1, 3}, 1, false, false, 2)>();
  check_bias_gradient<call_on(2, {3, 5, vector + 3}, 4, {3, 3}, 1, true, false)>();
  CHECK(checked > 0);
  std::printf("transposed convolutions: checked %d numbers\n", checked);
}

namespace {

/// Of few channels, or of so many that sums leave the registers from tap to tap.
constexpr conv2d_call with_activation(activation_kind kind, std::int32_t channels) {
  conv2d_call call = call_on(2, {5, 6, channels}, vector + 1, {3, 3}, 1, true, false);
  call.activation = kind;
  return call;
}

template <activation_kind Kind, std::int32_t Channels>
test::buffer forward_with() {
  operands given(with_activation(Kind, Channels));
  test::buffer y(given.d.size());
  run<with_activation(Kind, Channels)>(
      {y.data(), given.x.data(), given.w.data(), given.bias.data()});
  CHECK(test::padding_is_zero(y, 2 * 5 * 6, vector + 1));
  CHECK(y.intact());
  return y;
}

template <activation_kind Kind, std::int32_t Channels>
void check_activation() {
  const test::buffer linear = forward_with<activation_kind::linear, Channels>();
  test::buffer expected(linear.size());
  kernels::activation_forward<Kind>(linear.data(), expected.data(), 2 * 5 * 6, vector + 1, 0.0F);
  CHECK(test::same_bits(forward_with<Kind, Channels>().view(), expected.view()));
}

}  // namespace

TEST_CASE("activations of convolutions are applied to every pixel, and not to padding") {
  check_activation<activation_kind::relu, 3>();
  check_activation<activation_kind::sigmoid, 3>();
  check_activation<activation_kind::relu, 40>();
  check_activation<activation_kind::sigmoid, 40>();
}
