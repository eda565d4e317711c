// SPDX-License-Identifier: MIT
// What the calls of a program access, as those see it who look at tiles.
#pragma once

#include <span>

#include <ipu_dsl/graph/access.hpp>

namespace ipu_dsl {

/// What the calls of a program access, read only.
struct access_view {
  std::span<const access_axis> axes;
  std::span<const reach> reaches;
  std::span<const operand_access> operands;
  std::span<const call_access> calls;
};

constexpr access_view view_of(const access_list& made) {
  return {.axes = {made.axes.data(), made.axes.size()},
          .reaches = {made.reaches.data(), made.reaches.size()},
          .operands = {made.operands.data(), made.operands.size()},
          .calls = {made.calls.data(), made.calls.size()}};
}

}  // namespace ipu_dsl
