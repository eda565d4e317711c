// SPDX-License-Identifier: MIT
// What the calls of a program access, as those see it who look at tiles.
#pragma once

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/access.hpp>

namespace ipu_dsl {

/// What the calls of a program access, read only.
struct access_view {
  list_view<access_axis> axes;
  list_view<reach> reaches;
  list_view<operand_access> operands;
  list_view<call_access> calls;
};

constexpr access_view view_of(const access_list& made) {
  return {.axes = {made.axes.data(), made.axes.size()},
          .reaches = {made.reaches.data(), made.reaches.size()},
          .operands = {made.operands.data(), made.operands.size()},
          .calls = {made.calls.data(), made.calls.size()}};
}

}  // namespace ipu_dsl
