// SPDX-License-Identifier: MIT
// Tests of operators/conv2d.hpp where a kernel has a way of its own: blocks of lines, weights and
// sums that stay in registers, outputs and lines that are copied, rows of taps, numbers that a
// depthwise tile keeps, lines in parts or with the same sums, pixels that collide, images that come
// from memory, rims that are made apart, lines whose outputs go into one tile,
// gradients that go through the activation of what they are of.
#include <cstdio>

#include "operators/conv2d_chains.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::test;

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
                (vector >= 8));
  check_all<causal>();
  check_all<call_on(2, {6, 40, 1}, vector - 1, {3, 3}, 1, true, false)>();
  check_all<call_on(1, {3, 61, 2}, 4 * vector, {1, 2}, 2, false, true)>();
  check_all<call_on(2, {5, 45, 3}, vector, {2, 1}, 1, true, true, 2)>();
  check_all<call_on(1, {2, 64, 2}, 2 * vector, {1, 2}, 1, true, false, 4)>();
  CHECK(checked > 0);
  std::printf("weights in registers: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("sums of many channels that stay in registers make the same chains") {
  checked = 0;
  constexpr conv2d_call wide = call_on(2, {4, 17, 40}, 3 * vector - 2, {3, 3}, 1, true, true);
  constexpr kernels::window_product product = conv2d_code::forward_of(wide);
  static_assert(kernels::has_resident_sums<layout::native, product, 2>() == (vector == 16));
  check_all<wide>();
  // No rims, and every second column.
  check_all<call_on(1, {5, 19, 33}, 2 * vector, {2, 3}, 2, false, false)>();
  CHECK(checked > 0);
  std::printf("sums in registers: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("outputs that a weight gradient copies are those that it would read") {
  checked = 0;
  constexpr conv2d_call square = call_on(2, {13, 11, 9}, 256, {1, 1}, 1, false, false);
  static_assert(kernels::copies_outputs(conv2d_code::forward_of(square), layout::native) ==
                (vector == 8));
  check_all<square>();
  constexpr conv2d_call wide = call_on(1, {2, 5, 256}, 512, {1, 1}, 1, false, false);
  static_assert(kernels::copies_outputs(conv2d_code::forward_of(wide), layout::native) ==
                (vector >= 8));
  check_all<wide>();
  // Fewer lines than go together, some of which meet nothing, and strides.
  check_all<call_on(1, {4, 6, 13}, 256, {3, 3}, 1, true, false)>();
  check_all<call_on(2, {9, 7, 8}, 512, {2, 3}, 2, true, true)>();
  check_all<call_on(1, {2, 115, 3}, 256, {2, 1}, 1, true, false)>();
  CHECK(checked > 0);
  std::printf("copied outputs: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("lines that a weight gradient sums up together make the same chains") {
  checked = 0;
  constexpr conv2d_call several = call_on(2, {13, 9, 8}, 2 * vector, {3, 3}, 1, true, false);
  static_assert(kernels::lines_of_tile(conv2d_code::forward_of(several), layout::native) > 1);
  check_all<several>();
  // At the rims and with strides fewer lines than go together; a tile ends with its sample.
  check_all<call_on(2, {9, 7, 5}, 3 * vector, {5, 3}, 2, true, true)>();
  check_all<call_on(3, {1, 9, 8}, vector, {1, 3}, 1, true, false)>();
  check_all<call_on(2, {6, 1, 8}, vector, {3, 1}, 1, true, false)>();
  // Outputs half a kilobyte apart.
  check_all<call_on(2, {11, 10, 7}, 128, {1, 1}, 1, false, false)>();
  CHECK(checked > 0);
  std::printf("lines together: checked %d numbers and steps of chains\n", checked);
}

namespace {

template <conv2d_call Call>
constexpr bool goes_by_rows_of_taps() {
  return kernels::goes_by_rows_of_taps(conv2d_code::forward_of(Call), 1, layout::native);
}

}  // namespace

TEST_CASE("a weight gradient of one vector of units goes by rows of taps to the same chains") {
  checked = 0;
  constexpr conv2d_call square = call_on(2, {6, 9, 19}, vector, {3, 3}, 1, true, true);
  static_assert(goes_by_rows_of_taps<square>() == (vector >= 8));
  check_all<square>();
  // Fewer outputs than taps, no rims, rims on one side, and so long lines that tiles end in a
  // block.
  constexpr conv2d_call narrow = call_on(2, {5, 2, 6}, vector, {2, 4}, 1, true, false);
  static_assert(goes_by_rows_of_taps<narrow>() == (vector == 16));
  check_all<narrow>();
  check_all<call_on(1, {7, 11, 8}, vector - 1, {3, 3}, 1, false, true)>();
  check_all<call_on(1, {3, 140, 5}, vector, {2, 2}, 1, true, true)>();
  // Gaps between taps or outputs: tap by tap.
  constexpr conv2d_call dilated = call_on(1, {6, 9, 7}, vector, {3, 3}, 1, true, true, 2);
  static_assert(!goes_by_rows_of_taps<dilated>());
  check_all<dilated>();
  CHECK(checked > 0);
  std::printf("rows of taps: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("weights of few channels are summed up for two vectors of units at once") {
  checked = 0;
  constexpr conv2d_call paired = call_on(2, {7, 9, 3}, 4 * vector, {3, 3}, 1, true, true);
  constexpr kernels::window_product product = conv2d_code::forward_of(paired);
  static_assert(kernels::vectors_of_taps<product, layout::native>() == 2);
  check_all<paired>();
  check_all<call_on(2, {6, 8, 1}, 2 * vector, {5, 5}, 1, true, true)>();
  check_all<call_on(1, {1, 33, 1}, 2 * vector, {1, 3}, 1, true, true)>();
  check_all<call_on(1, {9, 11, 4}, 2 * vector - 1, {2, 3}, 2, true, true)>();
  CHECK(checked > 0);
  std::printf("pairs of vectors: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("numbers of a depthwise tile are those of every tap of a row") {
  checked = 0;
  constexpr conv2d_call square =
      call_on(1, {9, 13, vector}, vector, {5, 5}, 1, true, true, 1, vector, true);
  constexpr kernels::window_product product = conv2d_code::forward_of(square);
  static_assert(kernels::shares_numbers(product));
  static_assert(kernels::lanewise_tile_lines<layout::native, product>() ==
                (layout::native.registers < 32 ? 2 : 1));
  check_all<square>();
  // A single line, rows of an even kernel, more taps in a row than are kept.
  check_all<call_on(2, {1, 31, vector}, vector, {1, 4}, 1, true, false, 1, vector, true)>();
  check_all<call_on(1, {6, 12, 2 * vector}, 2 * vector, {4, 6}, 1, true, false, 1, 2 * vector,
                    true)>();
  constexpr conv2d_call longer =
      call_on(1, {3, 20, vector}, vector, {2, 8}, 1, true, false, 1, vector, true);
  static_assert(!kernels::shares_numbers(conv2d_code::forward_of(longer)));
  check_all<longer>();
  // Images that are smaller than their kernel: no tile meets all taps.
  check_all<call_on(2, {3, 5, vector + 1}, vector + 1, {5, 7}, 1, true, true, 1, vector + 1,
                    true)>();
  check_all<call_on(1, {2, 2, vector}, vector, {3, 3}, 1, true, false, 1, vector, true)>();
  // Gradients with strides, whose phases meet other taps.
  check_all<call_on(1, {8, 11, vector}, vector, {3, 3}, 2, true, false, 1, vector, true)>();
  CHECK(checked > 0);
  std::printf("kept numbers: checked %d numbers and steps of chains\n", checked);
}

namespace {

/// In how many parts vectors of units walk a line of a depthwise weight gradient.
template <conv2d_call Call>
constexpr int parts_of_line() {
  return kernels::line_parts<layout::native, conv2d_code::forward_of(Call)>::count;
}

}  // namespace

TEST_CASE("lines that vectors of units walk in parts make the same chains") {
  checked = 0;
  constexpr conv2d_call square = call_on(2, {3, 70, 64}, 64, {3, 3}, 1, true, true, 1, 64, true);
  static_assert(parts_of_line<square>() == (vector == 8 ? 3 : 1));
  check_all<square>();
  // Strides, more parts, and an end that meets nothing at some taps.
  constexpr conv2d_call steps = call_on(1, {5, 233, 64}, 64, {2, 4}, 2, true, false, 1, 64, true);
  static_assert(parts_of_line<steps>() == (vector == 8 ? 4 : 1));
  check_all<steps>();
  // Rims as wide as a part: lines stay whole.
  constexpr conv2d_call wide = call_on(1, {1, 120, 64}, 64, {1, 3}, 1, true, false, 70, 64, true);
  static_assert(parts_of_line<wide>() == 1);
  check_all<wide>();
  CHECK(checked > 0);
  std::printf("parts of lines: checked %d numbers and steps of chains\n", checked);
}

namespace {

/// Whether the weight gradient walks from position to position of the sources.
template <conv2d_call Call>
constexpr bool slides_along() {
  constexpr kernels::window_product product = conv2d_code::forward_of(Call);
  using blocks = kernels::tap_blocks<product, layout::native>;
  constexpr kernels::tap_block block = blocks::block(0);
  const auto at = kernels::positions_of_block(product.columns, block, {0, product.columns.outputs});
  return at.full.begin < at.full.end &&
         kernels::keeps_gradients<layout::native, product, blocks::vectors, blocks::rows, block>();
}

}  // namespace

TEST_CASE("pixels of a depthwise convolution that collide make the same chains") {
  checked = 0;
  // Its vectors lie three to a panel, so that some pairs are of two panels.
  constexpr conv2d_call wide = call_on(1, {5, 10, 256}, 256, {3, 3}, 1, true, false, 1, 256, true);
  constexpr kernels::window_product product = conv2d_code::forward_of(wide);
  static_assert(kernels::lanewise_tile_vectors<layout::native, product>(2) ==
                (vector == 8 ? 2 : 1));
  check_all<wide>();
  check_all<call_on(1, {4, 5, 512}, 512, {2, 3}, 1, false, false, 1, 512, true)>();
  // A weight gradient copies lines of which there are more than find room together.
  constexpr conv2d_call blocks =
      call_on(2, {11, 68, 256}, 256, {3, 2}, 2, true, false, 1, 256, true);
  static_assert(kernels::copies_lines<layout::native, conv2d_code::forward_of(blocks)>() ==
                (vector >= 8));
  static_assert(vector < 8 ||
                kernels::line_copies<layout::native, conv2d_code::forward_of(blocks)>::lines <
                    blocks.output_rows);
  check_all<blocks>();
  // Short lines go several lines of the cache together; rows of taps that are dilated, or more than
  // a tile has, or in padding; lines that meet no taps at all take their copies as well.
  check_all<call_on(2, {7, 7, 512}, 512, {3, 3}, 1, true, false, 1, 512, true)>();
  check_all<call_on(1, {9, 9, 256}, 256, {3, 3}, 1, true, false, 2, 256, true)>();
  check_all<call_on(1, {12, 10, 256}, 256, {5, 5}, 1, true, false, 1, 256, true)>();
  check_all<call_on(1, {12, 9, 256}, 256, {4, 2}, 1, false, false, 1, 256, true)>();
  check_all<call_on(1, {21, 9, 256}, 256, {2, 2}, 1, true, false, 9, 256, true)>();
  check_all<call_on(1, {10, 12, 192}, 192, {3, 3}, 3, true, false, 1, 192, true)>();
  // Units that are no whole vectors; so many rows of taps that no column has room beside them.
  check_all<call_on(1, {6, 9, 250}, 250, {3, 3}, 1, true, false, 1, 250, true)>();
  check_all<call_on(1, {9, 9, 1024}, 1024, {7, 1}, 1, true, false, 1, 1024, true)>();
  // Tiles that copy while they slide along columns without strides and dilation.
  constexpr conv2d_call apart = [] {
    conv2d_call made = call_on(2, {11, 9, 256}, 256, {3, 3}, 2, true, false, 1, 256, true);
    made.stride_columns = 1;
    made.padding_columns = 1;
    made.output_columns = 9;
    return made;
  }();
  static_assert(slides_along<apart>());
  static_assert(!slides_along<blocks>());
  check_all<apart>();
  constexpr conv2d_call dilated = [] {
    conv2d_call made = call_on(1, {11, 9, 256}, 256, {3, 3}, 1, true, false, 2, 256, true);
    made.dilation_columns = 1;
    made.padding_columns = 1;
    return made;
  }();
  static_assert(slides_along<dilated>());
  check_all<dilated>();
  CHECK(checked > 0);
  std::printf("colliding pixels: checked %d numbers and steps of chains\n", checked);
}

namespace {

/// Of how many lines a tile of a weight gradient keeps its sums.
template <conv2d_call Call>
constexpr int lines_together() {
  return kernels::lines_of_tap_tile<layout::native, conv2d_code::forward_of(Call)>();
}

}  // namespace

TEST_CASE("lines of which a tile of taps keeps its sums make the same chains") {
  checked = 0;
  // More lines than go together, and rims that go alone.
  constexpr conv2d_call few = call_on(2, {40, 9, 3}, 2 * vector, {3, 3}, 1, true, true);
  static_assert((lines_together<few>() > 1) == (layout::native.registers >= 32));
  check_all<few>();
  check_all<call_on(1, {31, 6, 2}, 2 * vector + 1, {5, 2}, 2, true, false)>();
  constexpr conv2d_call depthwise =
      call_on(2, {23, 7, 40}, 40, {3, 3}, 1, true, false, 1, 40, true);
  static_assert(lines_together<depthwise>() == (vector == 16 ? 8 : 1));
  check_all<depthwise>();
  check_all<call_on(1, {35, 5, 24}, 24, {4, 3}, 2, true, false, 1, 24, true)>();
  // Lines that meet one row of the kernel, and none at all.
  check_all<call_on(1, {21, 4, 16}, 16, {2, 2}, 1, true, false, 9, 16, true)>();
  // Copies, of which two blocks have lines that go together, and so many pixels that samples are
  // walked one by one.
  constexpr conv2d_call copied =
      call_on(2, {14, 10, 256}, 256, {3, 3}, 1, true, false, 1, 256, true);
  static_assert(kernels::copies_lines<layout::native, conv2d_code::forward_of(copied)>() ==
                (vector >= 8));
  static_assert(vector < 8 || lines_together<copied>() > 1);
  check_all<copied>();
  CHECK(checked > 0);
  std::printf("lines of a tile of taps: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("images that come from memory make the same chains") {
  checked = 0;
  constexpr conv2d_call afar = call_on(2, {33, 32, 512}, vector, {1, 1}, 1, false, false);
  constexpr kernels::window_product product = conv2d_code::forward_of(afar);
  static_assert(kernels::reads_from_afar(product, layout::native) == (vector >= 8));
  // Fewer lines than an image nearby has, and some left over.
  static_assert(vector != 16 || kernels::lines_of_tile(product, layout::native) == 2);
  check_all<afar>();
  CHECK(checked > 0);
  std::printf("images from memory: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("outputs that are asked for while they are multiplied are the same chains") {
  checked = 0;
  // Fewer channels than a tile has rows, and as many as leave steps over.
  constexpr conv2d_call few = call_on(2, {33, 32, 3}, 48, {1, 1}, 1, false, false);
  constexpr conv2d_call more = call_on(1, {1, 300, 29}, 240, {1, 1}, 1, false, false);
  constexpr conv2d_call near = call_on(1, {1, 30, 29}, 240, {1, 1}, 1, false, false);
  const auto asks = [](const conv2d_call& call) {
    return kernels::writes_afar(conv2d_code::forward_of(call), layout::native);
  };
  static_assert(asks(few) == (vector >= 8));
  static_assert(asks(more) == (vector >= 8));
  static_assert(!asks(near));
  using other_way = kernels::pixelwise_cut<conv2d_code::forward_of(few), layout::native>;
  static_assert(vector != 16 || !other_way::suits());
  check_all<few>();
  check_all<more>();
  CHECK(checked > 0);
  std::printf("outputs asked for: checked %d numbers and steps of chains\n", checked);
}

namespace {

/// Whether the forward product has pixels as lanes, and those at the rims of a line apart.
template <conv2d_call Call>
constexpr bool has_rims_apart() {
  using cut = kernels::pixelwise_cut<conv2d_code::forward_of(Call), layout::native>;
  return cut::suits() && cut::has_rims_apart();
}

}  // namespace

TEST_CASE("pixels at the rims of a line that are made apart make the same chains") {
  checked = 0;
  // One tile, in two passes of units; lines at the rims of the image meet fewer rows of taps.
  constexpr conv2d_call first_layer = call_on(2, {7, 3 * vector + 4, 1}, 6, {5, 5}, 1, true, true);
  static_assert(vector != 8 || has_rims_apart<first_layer>());
  check_all<first_layer>();
  // Tiles that overlap, and several channels.
  constexpr conv2d_call overlapping = call_on(1, {3, 8 * vector, 1}, 4, {2, 5}, 1, true, true);
  static_assert(vector != 8 || has_rims_apart<overlapping>());
  check_all<overlapping>();
  constexpr conv2d_call channels = call_on(1, {4, 4 * vector + 2, 3}, 3, {3, 3}, 1, true, true);
  static_assert(vector != 8 || has_rims_apart<channels>());
  check_all<channels>();
  // Gradients of few channels are such products as well, and walk the other way.
  check_all<call_on(2, {5, 3 * vector + 2, 3}, 7, {3, 3}, 1, true, false)>();
  check_all<call_on(1, {4, 2 * vector + 4, 6}, 3, {2, 3}, 1, true, false, 2)>();
  CHECK(checked > 0);
  std::printf("rims apart: checked %d numbers and steps of chains\n", checked);
}

namespace {

/// How many lines have their outputs in one tile, of a product with pixels as lanes: 0 of others.
template <kernels::window_product Product>
constexpr std::int32_t lines_of_tiles() {
  using cut = kernels::pixelwise_cut<Product, layout::native>;
  return cut::suits() && !cut::has_rims_apart() ? cut::lines : 0;
}

template <conv2d_call Call>
constexpr std::int32_t lines_forward = lines_of_tiles<conv2d_code::forward_of(Call)>();

template <conv2d_call Call>
constexpr std::int32_t lines_backward = lines_of_tiles<conv2d_code::gradient_of(Call, 0, 0)>();

constexpr conv2d_call activated_by(conv2d_call made, activation_kind kind) {
  made.activation = kind;
  return made;
}

/// How many numbers an activation in the kernel makes otherwise than one behind it.
template <conv2d_call Call, activation_kind Kind>
int wrong_activations() {
  constexpr conv2d_call activated = activated_by(Call, Kind);
  operands given(Call);
  const std::int32_t pixels = Call.batch * Call.output_rows * Call.output_columns;
  test::buffer expected(std::int64_t{pixels} * layout::row_stride(Call.filters));
  test::buffer found(expected.size());
  run<Call>({expected.data(), given.x.data(), given.w.data(), given.bias.data()});
  kernels::activation_forward<Kind>(expected.data(), expected.data(), pixels, Call.filters, 0.0F);
  run<activated>({found.data(), given.x.data(), given.w.data(), given.bias.data()});
  int wrong = 0;
  for (std::int64_t i = 0; i < found.size(); ++i) {
    wrong += same_bits(found[i], expected[i]) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("lines whose few outputs go into one tile make the same chains") {
  checked = 0;
  // Lines at the rims of the image go one by one, and of those between them a rest.
  constexpr conv2d_call few = call_on(2, {11, vector - 2, 1}, 3, {3, 3}, 1, true, true);
  static_assert(vector < 8 || lines_forward<few> == 3);
  check_all<few>();
  constexpr conv2d_call single = call_on(1, {9, vector, 2}, 1, {3, 3}, 1, true, true);
  static_assert(vector < 8 || lines_forward<single> == 4);
  check_all<single>();
  // Every line meets all rows of the kernel.
  constexpr conv2d_call valid = call_on(2, {8, vector + 1, 3}, 2, {2, 2}, 1, false, true);
  static_assert(vector < 8 || lines_forward<valid> == 4);
  check_all<valid>();
  // Gradients of few channels, which walk the other way.
  constexpr conv2d_call backward = call_on(3, {14, vector - 2, 6}, vector, {5, 5}, 1, true, false);
  static_assert(vector != 16 || lines_backward<backward> == 2);
  check_all<backward>();
  constexpr conv2d_call grey = call_on(2, {13, 2 * vector - 4, 1}, 6, {5, 5}, 1, true, false);
  static_assert(vector != 16 || lines_backward<grey> == 4);
  check_all<grey>();
  check_all<call_on(2, {9, vector - 1, 2}, 5, {3, 1}, 1, true, false, 2)>();
  CHECK(checked > 0);
  CHECK(wrong_activations<few, activation_kind::relu>() == 0);
  CHECK(wrong_activations<few, activation_kind::gelu>() == 0);
  CHECK(wrong_activations<valid, activation_kind::tanh>() == 0);
  std::printf("lines in one tile: checked %d numbers and steps of chains\n", checked);
}

namespace {

/// How many numbers of an input gradient that goes through the activation of the image, whole and
/// in parts, are others than those of a pass of its own.
template <conv2d_call Call, activation_kind Through>
int wrong_through() {
  constexpr conv2d_call backward = of_variant(Call, conv2d_variant::input_gradient);
  constexpr conv2d_call activated = activated_by(backward, Through);
  operands given(Call);
  const std::int32_t pixels = Call.batch * Call.rows * Call.columns;
  const test::buffer image = random_rows(pixels, Call.channels, 5);
  const std::int32_t inputs = Call.kernel_rows * Call.kernel_columns * Call.filters_of_group();
  test::buffer transposed(layout::panel_elements(inputs, Call.channels));
  run<of_variant(Call, conv2d_variant::transposed_kernel)>({transposed.data(), given.w.data()});
  test::buffer expected(image.size());
  run<backward>({expected.data(), given.d.data(), transposed.data()});
  kernels::activation_gradient_from_output<Through>(expected.data(), image.data(), expected.data(),
                                                    pixels, Call.channels, 0.0F);
  const test::buffer found = made_in_parts(test::buffer(image.size()), [&](float* to, grain part) {
    test::buffer read = image;
    run<activated>({to, given.d.data(), transposed.data(), read.data()}, part);
  });
  int wrong = 0;
  for (std::int64_t i = 0; i < image.size(); ++i) {
    wrong += same_bits(found[i], expected[i]) ? 0 : 1;
  }
  checked += pixels * Call.channels;
  return wrong;
}

}  // namespace

TEST_CASE("input gradients that go through the activation of the image have its bits") {
  checked = 0;
  using enum activation_kind;
  // Sums in registers, with and without rims, and of every second pixel.
  CHECK(wrong_through<call_on(2, {6, 9, 16}, 20, {3, 3}, 1, true, false), relu>() == 0);
  CHECK(wrong_through<call_on(2, {7, 9, 32}, 16, {3, 3}, 2, true, false), relu6>() == 0);
  CHECK(wrong_through<call_on(1, {9, 8, 40}, 24, {2, 2}, 1, false, false), tanh>() == 0);
  // One tap after the other, and a tap alone, whose lines are one.
  CHECK(wrong_through<call_on(2, {5, 7, 6 * vector}, 80, {3, 3}, 1, true, false), relu>() == 0);
  CHECK(wrong_through<call_on(3, {7, 7, 4 * vector}, 72, {1, 1}, 1, true, false), sigmoid>() == 0);
  CHECK(wrong_through<call_on(2, {5, 5, 24}, 8, {1, 1}, 2, true, false), relu>() == 0);
  // Weights in registers, pixels as lanes, lines together, rims apart, groups.
  CHECK(wrong_through<call_on(2, {1, 70, vector}, 1, {1, 3}, 1, true, false), relu>() == 0);
  CHECK(wrong_through<call_on(2, {11, vector - 2, 6}, 8, {5, 5}, 1, true, false), relu>() == 0);
  CHECK(wrong_through<call_on(1, {6, 3 * vector + 2, 3}, 7, {3, 3}, 1, true, false), relu>() == 0);
  CHECK(wrong_through<call_on(2, {5, 6, 64}, 32, {3, 3}, 1, true, false, 1, 2), relu>() == 0);
  // A picture of one pixel.
  CHECK(wrong_through<call_on(1, {1, 1, 30}, 20, {1, 1}, 1, true, false), relu>() == 0);
  CHECK(checked > 0);
  std::printf("put through: checked %d numbers\n", checked);
}
