// SPDX-License-Identifier: MIT
// Tests of operators/conv2d.hpp where groups of channels have a way of their own: groups that lie
// in the lanes of a vector, groups that are copied.
#include <cstdio>

#include "operators/conv2d_chains.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::test;

template <conv2d_call Call>
constexpr bool copies_groups() {
  return kernels::copies_groups(conv2d_code::forward_of(Call), layout::native);
}

}  // namespace

TEST_CASE("groups that lie in the lanes of a vector make the same chains") {
  checked = 0;
  // Tiles of several lines and columns, and what is left of both; padding behind the channels.
  constexpr conv2d_call fours =
      call_on(2, {11, 13, 4 * vector + 4}, 4 * vector + 4, {3, 3}, 1, true, false, 1, vector + 1);
  static_assert(fours.groups_in_lanes());
  static_assert(kernels::group_tile_lines<layout::native, conv2d_code::forward_of(fours)>() > 1);
  check_all<fours>();
  constexpr conv2d_call twos = call_on(1, {9, 12, 6}, 6, {2, 4}, 1, true, false, 1, 3);
  static_assert(twos.groups_in_lanes());
  check_all<twos>();
  // One line at a time: strides, kernels of many taps, images of few lines, holes.
  check_all<call_on(2, {7, 11, 2 * vector}, 2 * vector, {3, 3}, 2, true, false, 1, vector / 2)>();
  check_all<call_on(1, {6, 9, 8}, 8, {5, 4}, 1, false, false, 1, 4)>();
  check_all<call_on(2, {1, 40, 12}, 12, {1, 9}, 1, true, false, 3, 3)>();
  check_all<call_on(1, {2, 5, vector}, vector, {3, 2}, 1, true, false, 2, vector / 4)>();
  check_all<call_on(1, {3, 2, 4}, 4, {5, 7}, 1, true, false, 1, 2)>();
  // Groups of other sizes, and images in one row, are laid out first.
  constexpr conv2d_call in_one_row = call_on(1, {5, 6, 8}, 8, {3, 3}, 1, true, true, 1, 2);
  static_assert(!in_one_row.groups_in_lanes());
  check_all<in_one_row>();
  constexpr conv2d_call of_threes = call_on(1, {5, 6, 9}, 9, {3, 3}, 1, true, false, 1, 3);
  static_assert(!of_threes.groups_in_lanes());
  check_all<of_threes>();
  CHECK(checked > 0);
  std::printf("groups in lanes: checked %d numbers and steps of chains\n", checked);
}

TEST_CASE("groups that a weight gradient copies make the same chains") {
  checked = 0;
  // Panels that hold a group and a half, taps that meet nothing, several blocks of lines.
  constexpr conv2d_call square = call_on(2, {7, 5, 128}, 128, {3, 3}, 1, true, true, 1, 4);
  static_assert(copies_groups<square>() == (vector >= 8));
  check_all<square>();
  constexpr conv2d_call strided = call_on(1, {2, 9, 128}, 64, {5, 2}, 2, true, false, 1, 2);
  static_assert(copies_groups<strided>() == (vector >= 8));
  check_all<strided>();
  constexpr conv2d_call long_lines = call_on(1, {2, 300, 128}, 64, {1, 3}, 1, false, false, 1, 4);
  static_assert(copies_groups<long_lines>() == (vector >= 8));
  check_all<long_lines>();
  CHECK(checked > 0);
  std::printf("copied groups: checked %d numbers and steps of chains\n", checked);
}
