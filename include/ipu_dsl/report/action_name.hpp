// SPDX-License-Identifier: MIT
// What actions are called in pictures.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

/// "forward", "weight gradient": a kind in words.
inline std::string_view kind_name(action_kind kind) {
  constexpr std::string_view names[action_kinds] = {
      "forward",   "backward", "input gradient", "weight gradient",
      "recompute", "update",   "offload",        "fetch"};
  return names[static_cast<std::size_t>(kind)];
}

namespace drawing {

/// Whether no device has two stages, so that a device and a micro-batch name an action.
inline bool one_stage_a_device(const program_view& rows) {
  list<bool> taken(rows.devices, false);
  for (const int device : rows.device_of_stage) {
    bool& here = taken[device];
    if (here) {
      return false;
    }
    here = true;
  }
  return true;
}

/// "F0" and "U" where a device has one stage, so that a digit is always the micro-batch; else
/// "F2(0)" and "U2". Of several updates "U1" or "U2(1)" is the second. "F3+" is one step with the
/// action behind it.
inline std::string cell_name(const action& what, bool one_stage_a_device) {
  std::string name(describe(what).view());
  if (one_stage_a_device) {
    const bool only_update = what.kind == action_kind::update && what.micro_batch == 0;
    name = letter(what.kind) + (only_update ? std::string() : std::to_string(what.micro_batch));
  }
  return name + (what.joined ? "+" : "");
}

}  // namespace drawing

}  // namespace ipu_dsl
