// SPDX-License-Identifier: MIT
// Tests of kernels/windows.hpp: along one axis, forward and backward meet the same pairs.
#include <cstdio>

#include <ipu_dsl/kernels/windows.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using kernels::window;
using kernels::window_axis;

constexpr window_axis three = kernels::forward_axis({5, 5, 3, 1, 1});
static_assert(three.taps_at(0) == index_range{1, 3} && three.taps_at(4) == index_range{0, 2});
static_assert(three.full_outputs() == index_range{1, 4});
static_assert(three.outputs_at(0) == index_range{1, 5} && three.outputs_at(1) == index_range{0, 5});
static_assert(kernels::forward_axis({2, 2, 5, 1, 2}).full_outputs() == index_range{0, 0});
static_assert(kernels::gradient_axis({5, 3, 2, 2, 0}, 1).outputs == 2);

/// How often an input meets an output at a tap, by the forward axis.
constexpr bool meets_forward(const window& along, int input, int output, int tap) {
  const window_axis axis = kernels::forward_axis(along);
  const index_range taps = axis.taps_at(output);
  return tap >= taps.begin && tap < taps.end && axis.source(output, tap) == input;
}

/// The same by the axes of the gradient.
constexpr bool meets_backward(const window& along, int input, int output, int tap) {
  const window_axis axis = kernels::gradient_axis(along, input % along.stride);
  const int place = input / along.stride;
  const index_range taps = axis.taps_at(place);
  for (int i = taps.begin; i < taps.end; ++i) {
    if (axis.position_of(i) == tap && axis.source(place, i) == output) {
      return true;
    }
  }
  return false;
}

/// How many pairs of input and output meet; -1 if the two directions do not agree.
constexpr int count_pairs(const window& along) {
  int count = 0;
  for (int input = 0; input < along.inputs; ++input) {
    for (int output = 0; output < along.outputs; ++output) {
      for (int tap = 0; tap < along.taps; ++tap) {
        const bool expected = output * along.stride + tap * along.dilation - along.padding == input;
        if (meets_forward(along, input, output, tap) != expected ||
            meets_backward(along, input, output, tap) != expected) {
          return -1;
        }
        count += expected ? 1 : 0;
      }
    }
  }
  return count;
}

static_assert(count_pairs({5, 5, 3, 1, 1}) == 13);

// As many rows as divide them are one line of at most 64 pixels.
static_assert(kernels::rows_of_merged_line(7, 7) == 7);
static_assert(kernels::rows_of_merged_line(14, 14) == 2);
static_assert(kernels::rows_of_merged_line(56, 56) == 1);
static_assert(kernels::rows_of_merged_line(5, 20) == 1);

TEST_CASE("both directions of a window meet the same inputs, outputs and taps") {
  int checked = 0;
  int pairs = 0;
  for (int inputs = 1; inputs <= 9; ++inputs) {
    for (int taps = 1; taps <= 5; ++taps) {
      for (int stride = 1; stride <= 4; ++stride) {
        for (int padding = 0; padding < taps; ++padding) {
          const int outputs = (inputs + stride - 1) / stride;
          const int found = count_pairs({inputs, outputs, taps, stride, padding});
          CHECK(found >= 0);
          pairs += found;
          ++checked;
        }
      }
    }
  }
  CHECK(checked == 540);
  CHECK(pairs > checked);
  const int pairs_of_neighbours = pairs;
  for (int inputs = 1; inputs <= 9; ++inputs) {
    for (int dilation = 2; dilation <= 4; ++dilation) {
      for (int padding = 0; padding <= 2 * dilation; ++padding) {
        const int found = count_pairs({inputs, inputs, 3, 1, padding, dilation});
        CHECK(found >= 0);
        pairs += found;
        ++checked;
      }
    }
  }
  CHECK(checked == 540 + 9 * (5 + 7 + 9));
  CHECK(pairs > pairs_of_neighbours);
  std::printf("windows: checked %d axes, %d pairs\n", checked, pairs);
}

}  // namespace
