// SPDX-License-Identifier: MIT
// Tests of the call of operators/conv2d.hpp that makes both convolutions of a SeparableConv2D: the
// bits are those of one after the other, whole and in parts.
#include <cstdio>

#include "operators/conv2d_chains.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::test;

/// `depthwise`, and `filters` at every pixel behind it.
constexpr conv2d_call both_of(conv2d_call depthwise, std::int32_t filters,
                              activation_kind activation, bool has_bias) {
  depthwise.variant = conv2d_variant::separable_forward;
  depthwise.filters = filters;
  depthwise.activation = activation;
  depthwise.has_bias = has_bias ? 1 : 0;
  return depthwise;
}

/// How many lines lie between the two at once.
template <conv2d_call Both>
constexpr int lines_between() {
  return kernels::lines_between<conv2d_code::forward_of(conv2d_code::depthwise_of(Both)),
                                layout::native>();
}

template <conv2d_call Both>
void check_separable() {
  constexpr conv2d_call depthwise = conv2d_code::depthwise_of(Both);
  constexpr conv2d_call pointwise = conv2d_code::pointwise_of(Both);
  operands first(depthwise);
  operands second(pointwise);
  test::buffer packed = random_panels(Both.kernel_rows * Both.kernel_columns, Both.channels, 5);
  const std::int64_t pixels = std::int64_t{Both.batch} * Both.output_rows * Both.output_columns;
  test::buffer between(pixels * layout::row_stride(Both.channels));
  run<depthwise>({between.data(), first.x.data(), packed.data()});
  test::buffer expected(pixels * layout::row_stride(Both.filters));
  run<pointwise>({expected.data(), between.data(), second.w.data(), second.bias.data()});
  const test::buffer made =
      made_in_parts(test::buffer(expected.size()), [&](float* to, grain part) {
        run<Both>({to, first.x.data(), packed.data(), second.w.data(), second.bias.data()}, part);
      });
  CHECK(same_bits(made.view(), expected.view()));
  checked += static_cast<int>(expected.size());
}

}  // namespace

TEST_CASE("both convolutions of a SeparableConv2D in one call") {
  checked = 0;
  // Blocks of lines, the last one shorter.
  constexpr conv2d_call square =
      both_of(call_on(2, {13, 40, 64}, 64, {3, 3}, 1, true, false, 1, 64, true), 24,
              activation_kind::relu, true);
  static_assert(lines_between<square>() < 13 && 13 % lines_between<square>() != 0);
  check_separable<square>();
  // Fewer lines than a block, and than a tile.
  check_separable<both_of(
      call_on(3, {5, 6, vector}, vector, {3, 3}, 1, true, false, 1, vector, true), 2 * vector + 1,
      activation_kind::linear, true)>();
  check_separable<both_of(call_on(2, {1, 70, 9}, 9, {1, 4}, 1, true, false, 1, 9, true), 5,
                          activation_kind::linear, false)>();
  // Strides, dilation, an activation that is no part of a tile.
  check_separable<both_of(
      call_on(1, {31, 33, 2 * vector}, 2 * vector, {3, 5}, 2, true, false, 1, 2 * vector, true), 7,
      activation_kind::tanh, true)>();
  check_separable<both_of(
      call_on(2, {17, 50, 3 * vector}, 3 * vector, {3, 3}, 1, false, false, 3, 3 * vector, true),
      vector, activation_kind::gelu, true)>();
  CHECK(checked > 0);
  std::printf("separable convolutions: checked %d numbers\n", checked);
}
