// SPDX-License-Identifier: MIT
// A schedule as a value: one ordered row of actions per device.
#pragma once

#include <cstddef>
#include <span>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/action.hpp>

namespace ipu_dsl {

/// A program seen through spans: what every function over schedules takes.
struct program_view {
  int devices = 0;
  int stages = 0;
  int micro_batches = 0;                 ///< of one run, that is up to the next update
  std::span<const int> device_of_stage;  ///< [stages]
  std::span<const action> actions;       ///< [actions], device after device
  std::span<const int> row_begin;        ///< [devices + 1], into actions
  std::span<const int> slot;             ///< [actions], lockstep time slot; empty if not given

  /// The actions of one device in the order in which it executes them.
  constexpr std::span<const action> row(int device) const {
    const int begin = row_begin[static_cast<std::size_t>(device)];
    const int end = row_begin[static_cast<std::size_t>(device) + 1];
    return actions.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
};

/// A program that owns its rows. Rows are appended device after device: `put` the actions of
/// device 0, then `end_row()`, and so on.
struct program {
  int devices = 0;
  int stages = 0;
  int micro_batches = 0;
  list<int> device_of_stage;  ///< [stages]
  list<action> actions;       ///< [actions], device after device
  list<int> row_begin;        ///< [devices + 1]
  list<int> slot;             ///< [actions] or empty

  constexpr program() = default;

  /// No actions yet; stage `s` runs on `placement[s]`.
  constexpr program(int devices_, std::span<const int> placement, int micro_batches_)
      : devices(devices_),
        stages(static_cast<int>(placement.size())),
        micro_batches(micro_batches_) {
    device_of_stage.append(placement);
    row_begin.push_back(0);
  }

  /// Appends to the row being written.
  constexpr void put(action_kind kind, int stage, int micro_batch) {
    actions.push_back({kind, stage, micro_batch});
  }

  /// The row being written is complete; the next one is that of the next device.
  constexpr void end_row() { row_begin.push_back(static_cast<int>(actions.size())); }

  constexpr program_view view() const {
    return {devices, stages, micro_batches, device_of_stage, actions, row_begin, slot};
  }
};

/// The usual placement: neighbouring stages share a device, as evenly as the counts allow.
/// Stage `s` of `stages` is on device `s * devices / stages`.
constexpr list<int> neighbouring_placement(int devices, int stages) {
  list<int> device_of_stage;
  device_of_stage.reserve(static_cast<std::size_t>(stages));
  for (int stage = 0; stage < stages; ++stage) {
    device_of_stage.push_back(stage * devices / stages);
  }
  return device_of_stage;
}

}  // namespace ipu_dsl
