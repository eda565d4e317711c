// SPDX-License-Identifier: MIT
// What the proof says about a program: the kinds of faults and their sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>

namespace ipu_dsl {

/// What can be wrong with a program.
enum class schedule_fault : std::uint8_t {
  none,
  malformed,     ///< the counts of rows, stages, costs or slots do not fit each other
  unknown,       ///< an action names a stage, a micro-batch or an edge step that does not exist
  misplaced,     ///< an action stands in the row of a device that does not have its stage
  twice,         ///< an action stands twice, or a backward beside one of its halves
  out_of_order,  ///< a stage goes backward before forward, or weight gradient before input gradient
  early_update,  ///< a stage is updated before all of its backwards
  missing,       ///< an action is missing
  deadlock,      ///< a device waits forever
};

/// The first fault of a program, or none.
struct verdict {
  problem fault;  ///< the sentence
  schedule_fault kind = schedule_fault::none;
  int device = -1;    ///< whose row
  int position = -1;  ///< in that row
  action at;          ///< what stands there, or what is missing

  constexpr bool proven() const { return kind == schedule_fault::none; }
};

namespace proof {

/// What the proof walks with.
struct examination {
  std::string_view name;
  const program_view& rows;
  const stage_graph_view& graph;
  step_table steps;
  list<int> updates;          ///< [stages] how many stand in the rows
  bool forward_only = false;  ///< no action but forwards
};

/// "schedule mine, device 0 at position 1"
constexpr verdict fault_at(const examination& exam, schedule_fault kind, int device, int position,
                           const action& at) {
  verdict found;
  found.kind = kind;
  found.device = device;
  found.position = position;
  found.at = at;
  found.fault.where << "schedule " << exam.name;
  if (device >= 0) {
    found.fault.where << ", device " << device;
  }
  if (position >= 0) {
    found.fault.where << " at position " << position;
  }
  return found;
}

/// The words of a fault of one action.
constexpr verdict explain(const examination& exam, schedule_fault kind, int device, int position,
                          const action& at) {
  verdict found = fault_at(exam, kind, device, position, at);
  problem& words = found.fault;
  words.got << describe(at);
  switch (kind) {
    case schedule_fault::unknown:
      words.expected << "stages below " << exam.rows.stages << " and micro-batches below "
                     << exam.rows.micro_batches;
      break;
    case schedule_fault::misplaced:
      words.expected << "actions of the stages placed on device " << device;
      words.hint << "stage " << at.stage << " is on device "
                 << exam.rows.device_of_stage[static_cast<std::size_t>(at.stage)];
      break;
    case schedule_fault::twice:
      words.expected = "every action once";
      words.got << " again";
      words.hint = "a backward is either whole (B) or in halves (I, then W)";
      break;
    case schedule_fault::out_of_order:
      words.expected << (at.kind == action_kind::weight_gradient
                             ? "the input gradient before the weight gradient"
                         : at.kind == action_kind::recompute
                             ? "recomputation between forward and backward"
                             : "the forward of a micro-batch before the rest of it");
      words.got << " first";
      break;
    case schedule_fault::early_update:
      words.expected << "the update of stage " << at.stage << " after all of its backwards";
      words.got << " before the last of them";
      break;
    default:
      break;
  }
  return found;
}

/// The words of a device that would overwrite what it still has to read.
constexpr verdict explain_own_slot(const examination& exam, int link, int depth, int writer,
                                   int reader) {
  const program_view& rows = exam.rows;
  const action at = rows.actions[static_cast<std::size_t>(writer)];
  const int device = rows.device_of_stage[static_cast<std::size_t>(at.stage)];
  verdict found = fault_at(exam, schedule_fault::deadlock, device,
                           writer - rows.row_begin[static_cast<std::size_t>(device)], at);
  found.fault.expected << "an order in which " << describe(at) << " gets its turn";
  found.fault.got << "a wait forever for "
                  << describe(rows.actions[static_cast<std::size_t>(reader)]) << " to free a slot";
  found.fault.hint << "edge " << link << " has too few slots (" << depth << ")";
  return found;
}

/// The words of a device that waits forever, and of what stands in the way.
constexpr verdict explain_deadlock(const examination& exam, const in_order_run& run,
                                   std::span<const int> slots) {
  const program_view& rows = exam.rows;
  int device = 0;
  while (run.cursor(device) == rows.row_begin[static_cast<std::size_t>(device) + 1]) {
    ++device;
  }
  const int index = run.cursor(device);
  const action at = rows.actions[static_cast<std::size_t>(index)];
  const action wanted = rows.actions[static_cast<std::size_t>(run.waited_for(device))];
  verdict found = fault_at(exam, schedule_fault::deadlock, device,
                           index - rows.row_begin[static_cast<std::size_t>(device)], at);
  found.fault.expected << "an order in which " << describe(at) << " gets its turn";
  found.fault.got << "a wait forever for " << describe(wanted);
  const int other = rows.device_of_stage[static_cast<std::size_t>(wanted.stage)];
  const int link = run.blocking_edge(device);
  if (link >= 0) {
    found.fault.got << " to free a slot";
    found.fault.hint << "edge " << link << " has too few slots ("
                     << slots[static_cast<std::size_t>(link)] << ")";
  } else if (other == device) {
    found.fault.hint << describe(wanted) << " stands later in the same row";
  } else {
    const action there = rows.actions[static_cast<std::size_t>(run.cursor(other))];
    found.fault.hint << describe(wanted) << " comes after " << describe(there) << " on device "
                     << other << ", which waits for "
                     << describe(rows.actions[static_cast<std::size_t>(run.waited_for(other))]);
  }
  return found;
}

}  // namespace proof

}  // namespace ipu_dsl
