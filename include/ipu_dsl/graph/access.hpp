// SPDX-License-Identifier: MIT
// What a call reads and writes, over named axes: from it follow what it costs, what a tile needs
// for a part of it, and how that is verified.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/shape.hpp>

namespace ipu_dsl {

/// A loop of a call. A call's loops stand in nests: those of one nest are loops within loops, and
/// nests are independent of each other.
struct access_axis {
  std::int32_t extent = 1;
  bool cut = false;  ///< its range may be dealt over tiles; a reduction is never cut
  std::int32_t nest = 0;
  bool step = false;  ///< its iterations come one after the other, each a run of the kernel
};

/// An axis of the call that is being written down.
struct axis_id {
  std::int16_t number = -1;  ///< in its call
  std::int16_t nest = 0;
};

/// Several of them, as `call_draft::over` makes them at once: each within the one before.
struct axis_pair {
  axis_id first;
  axis_id second;
};

struct axis_triple {
  axis_id first;
  axis_id second;
  axis_id third;
};

/// Which positions of one extent of a tensor the elements of an iteration lie at:
/// (scale * first + dilation * second + offset) / divisor, where that is whole and within the
/// extent; all positions where it is `gathered`, by numbers that only the data know. The default is
/// position 0.
struct reach {
  std::int16_t first = -1;   ///< an axis of the call, or none
  std::int16_t second = -1;  ///< an axis of the call, or none
  std::int16_t nest = -1;    ///< of the axes, -1 without
  bool gathered = false;
  std::int32_t scale = 1;
  std::int32_t dilation = 0;
  std::int32_t divisor = 1;
  std::int32_t offset = 0;

  constexpr reach() = default;

  /// Position i in iteration i.
  constexpr reach(axis_id along) : first(along.number), nest(along.nest) {}

  /// Whether position i belongs to iteration i of one axis and nothing else does.
  constexpr bool is_index() const {
    return first >= 0 && second < 0 && !gathered && scale == 1 && divisor == 1 && offset == 0;
  }
};

/// The position `by` further along.
constexpr reach shifted(axis_id along, std::int32_t by) {
  reach made = along;
  made.offset = by;
  return made;
}

/// The position of iteration extent - 1 - i, `by` further along: what goes from the last to the
/// first.
constexpr reach counted_back(axis_id along, std::int32_t extent, std::int32_t by = 0) {
  reach made = along;
  made.scale = -1;
  made.offset = extent - 1 + by;
  return made;
}

/// What a window at `output` sees at `tap`: stride * output + dilation * tap - padding. Positions
/// outside the tensor are padding, which nobody reads.
constexpr reach window(axis_id output, axis_id tap, std::int32_t stride, std::int32_t dilation,
                       std::int32_t padding) {
  reach made = output;
  made.second = tap.number;
  made.scale = stride;
  made.dilation = dilation;
  made.offset = -padding;
  return made;
}

/// The outputs whose windows see `input` at `tap`: (input + padding - dilation * tap) / stride,
/// where that is whole.
constexpr reach window_over(axis_id input, axis_id tap, std::int32_t stride, std::int32_t dilation,
                            std::int32_t padding) {
  reach made = input;
  made.second = tap.number;
  made.dilation = -dilation;
  made.divisor = stride;
  made.offset = padding;
  return made;
}

/// Any position: which, the data say.
constexpr reach gathered() {
  reach made;
  made.gathered = true;
  return made;
}

enum class access_mode : std::uint8_t {
  read,
  write,  ///< every element within reach, whatever was there
  update  ///< reads what it writes: adds to it
};

/// What a nest does with an operand.
struct operand_access {
  std::int32_t operand = 0;  ///< of the call: first what it writes, then what it reads
  std::int32_t nest = 0;
  access_mode mode = access_mode::read;
  bool whole = true;         ///< all elements, in every iteration: no reaches were given
  std::int32_t samples = 0;  ///< see `buffer_ref`; the first reach is that of the sample, if any
  shape extents;             ///< as the rule sees them, of one sample or of a parameter
  std::int32_t first_reach = 0;  ///< in access_list::reaches
  std::int32_t reaches = 0;
};

/// What one call accesses, as ranges of an access_list.
struct call_access {
  std::int32_t first_axis = 0;
  std::int32_t axes = 0;
  std::int32_t nests = 1;
  std::int32_t first_operand = 0;  ///< in access_list::operands
  std::int32_t operands = 0;
};

/// What the calls of a program access.
struct access_list {
  list<access_axis> axes;
  list<reach> reaches;
  list<operand_access> operands;
  list<call_access> calls;
};

}  // namespace ipu_dsl
