// SPDX-License-Identifier: MIT
// Schedules as tables of cells: one row a device, one column a time slot.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/study/text/schedule_assembly.hpp>

namespace ipu_dsl {

/// What a device does in one time slot of a written schedule: nothing, one action, or two that are
/// one step.
struct cell {
  action parts[2] = {};
  int count = 0;

  constexpr cell() = default;

  /// Implicit, so that a table is written in the words of `cells`.
  constexpr cell(const action& what) : parts{what}, count(1) {}

  /// One step of two actions: it starts when both can.
  constexpr cell(const action& first, const action& second) : parts{first, second}, count(2) {
    parts[0].joined = true;
  }
};

/// Short words for the cells of a table; the letters are those of `letter(action_kind)`.
namespace cells {

inline constexpr cell idle = {};

/// Forward.
constexpr action F(int stage, int micro_batch) {
  return {action_kind::forward, stage, micro_batch};
}

/// Whole backward.
constexpr action B(int stage, int micro_batch) {
  return {action_kind::backward, stage, micro_batch};
}

/// Input gradient, the first half of a backward.
constexpr action I(int stage, int micro_batch) {
  return {action_kind::input_gradient, stage, micro_batch};
}

/// Weight gradient, the second half of a backward.
constexpr action W(int stage, int micro_batch) {
  return {action_kind::weight_gradient, stage, micro_batch};
}

/// Recompute.
constexpr action R(int stage, int micro_batch) {
  return {action_kind::recompute, stage, micro_batch};
}

/// Update; `number` tells the updates of a stage apart if there are several.
constexpr action U(int stage, int number = 0) {
  return {action_kind::update, stage, number};
}

/// Offload.
constexpr action O(int stage, int micro_batch) {
  return {action_kind::offload, stage, micro_batch};
}

/// Fetch (load what was offloaded).
constexpr action L(int stage, int micro_batch) {
  return {action_kind::fetch, stage, micro_batch};
}

/// Two actions as one step.
constexpr cell joined(const action& first, const action& second) {
  return {first, second};
}

}  // namespace cells

namespace slot_table {

/// Puts the cells of one row; false, with the fault in `read`, if one is refused.
constexpr bool put_row(schedule_assembly& made, parsed_schedule& read, list_view<cell> row,
                       std::string_view name) {
  int column = 0;
  for (const cell& what : row) {
    for (int part = 0; part < what.count; ++part) {
      if (!made.put(what.parts[part], column)) {
        const int device = made.rows_ended();
        label where;
        where << "schedule " << name << ", device " << device << ", slot " << column;
        read.refuse_at(made.fault(), where, device + 1, column + 1);
        return false;
      }
    }
    ++column;
  }
  made.end_row(column);
  return true;
}

/// What is wrong with the extents of a table.
constexpr problem fault_of_extents(std::size_t size, int devices, const schedule_header& said) {
  problem found;
  if (devices < 1 || size % static_cast<std::size_t>(devices) != 0) {
    found.expected << "rows of as many cells for each of " << how_many(devices, "device");
    found.got << how_many(size, "cell");
  } else if (said.devices != 0 && said.devices != devices) {
    found.expected << how_many(said.devices, "device") << ", as the header says";
    found.got << devices;
  }
  return found;
}

}  // namespace slot_table

/// Reads a table of cells, [devices x slots] row after row. Stages are placed where their actions
/// stand; in a table with backwards and without a single update, each stage gets one behind the
/// last slot.
constexpr parsed_schedule read_slots(list_view<cell> table, int devices,
                                     const schedule_header& said = {},
                                     std::string_view name = "mine") {
  const label whole = label("schedule ") << name;
  parsed_schedule read;
  const problem extents = slot_table::fault_of_extents(table.size(), devices, said);
  if (extents.found()) {
    read.refuse_at(extents, whole, 0, 0);
    return read;
  }
  schedule_assembly made(said);
  made.reserve(table.size());
  const std::size_t slots = table.size() / static_cast<std::size_t>(devices);
  for (std::size_t first = 0; made.rows_ended() < devices; first += slots) {
    if (!slot_table::put_row(made, read, table.part(first, slots), name)) {
      return read;
    }
  }
  if (made.finish()) {
    read.rows = made.take();
  } else {
    read.refuse_at(made.fault(), whole, 0, 0);
  }
  return read;
}

/// The program of a table of cells; empty, and so refused by the proof, if `read_slots` finds a
/// fault.
constexpr program from_slots(list_view<cell> table, int devices, const schedule_header& said = {}) {
  return read_slots(table, devices, said).rows;
}

}  // namespace ipu_dsl
