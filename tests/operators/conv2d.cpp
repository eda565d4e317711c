// SPDX-License-Identifier: MIT
// Tests of operators/conv2d.hpp and of the kernels behind it, kernels/window_product.hpp and
// kernels/window_gradient.hpp: every number is one chain in the order that is promised, and parts
// make the whole.
#include <cstdio>

#include "operators/conv2d_chains.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::test;

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
