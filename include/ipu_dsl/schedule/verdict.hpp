// SPDX-License-Identifier: MIT
// What the proof says about a program: the kinds of faults and their sentences.
// Over 300 lines: the sentences of all faults beside each other.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/schedule/action_life.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>
#include <ipu_dsl/schedule/joined_step.hpp>

namespace ipu_dsl {

/// What can be wrong with a program.
enum class schedule_fault : std::uint8_t {
  none,
  malformed,     ///< the counts of rows, stages, costs or slots do not fit each other
  unknown,       ///< an action names a stage, a micro-batch or an edge step that does not exist
  misplaced,     ///< an action stands in the row of a device that does not have its stage
  twice,         ///< an action stands twice, or a backward beside one of its halves
  out_of_order,  ///< a stage goes backward before forward, or weight gradient before input gradient
  early_update,  ///< a stage is updated before the backwards that the update takes
  no_version,    ///< a forward wants a version of the weights that no update has made yet
  missing,       ///< an action is missing
  memory,        ///< a device keeps more than it may
  deadlock,      ///< a device waits forever
};

/// The first fault of a program, or none.
struct verdict {
  problem fault;  ///< the sentence
  schedule_fault kind = schedule_fault::none;
  int device = -1;    ///< whose row
  int position = -1;  ///< in that row
  action at = {};     ///< what stands there, or what is missing

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
  list<int> lives;            ///< [stages x micro-batches] what has happened to each
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

/// What an action that stands out of order should have come after.
constexpr std::string_view order_of(action_kind kind) {
  switch (kind) {
    case action_kind::weight_gradient:
      return "the input gradient before the weight gradient";
    case action_kind::recompute:
      return "recomputation between forward and backward, of what is not offloaded";
    case action_kind::offload:
      return "an offload between forward and backward";
    case action_kind::fetch:
      return "a fetch of what was offloaded";
    case action_kind::update:
      return "the updates of a stage in ascending order";
    default:
      return "the forward of a micro-batch before the rest of it";
  }
}

/// Whether a backward finds that what it needs was offloaded and not fetched back.
constexpr bool is_away(const examination& exam, const action& at) {
  const int entry = at.stage * exam.rows.micro_batches + at.micro_batch;
  return begins_backward[static_cast<int>(at.kind)] && (exam.lives[entry] & away) != 0;
}

/// Of the backwards that an update takes the first that stands nowhere, or one of stage -1: what
/// ends a backward is a B or a W.
constexpr action lost_backward(const examination& exam, const action& update) {
  const program_view& rows = exam.rows;
  const int interval = rows.weights.update_interval;
  const int first = update.micro_batch * interval;
  const int next = first + interval;
  const int end = interval == 0 || next > rows.micro_batches ? rows.micro_batches : next;
  list<bool> stands(rows.micro_batches);
  list<bool> halved(rows.micro_batches);
  for (const action& what : rows.actions) {
    const bool known = what.stage == update.stage && what.micro_batch >= 0 &&
                       what.micro_batch < rows.micro_batches;
    if (known && ends_backward[static_cast<int>(what.kind)]) {
      stands[what.micro_batch] = true;
    } else if (known && what.kind == action_kind::input_gradient) {
      halved[what.micro_batch] = true;
    }
  }
  for (int i = first; i < end; ++i) {
    if (!stands[i]) {
      const bool half = halved[i];
      return {half ? action_kind::weight_gradient : action_kind::backward, update.stage, i};
    }
  }
  return {action_kind::backward, -1, 0};
}

/// The words of a backward that stands nowhere. It has no position, and neither has the update that
/// finds it missing, where a text was read that leaves updates out.
constexpr verdict explain_lost_backward(const examination& exam, int device, const action& lost) {
  verdict found = fault_at(exam, schedule_fault::missing, device, -1, lost);
  found.fault.expected = "every micro-batch forward and backward in every stage";
  found.fault.got << "no " << describe(lost);
  found.fault.hint = "a backward is either whole (B) or in halves (I, then W)";
  return found;
}

/// The words of a program with far fewer actions than stages x micro-batches.
constexpr verdict explain_sparse(const program_view& rows, std::string_view name) {
  verdict found;
  found.kind = schedule_fault::missing;
  found.fault.where << "schedule " << name;
  found.fault.expected << "every micro-batch forward in every stage, at least "
                       << static_cast<std::int64_t>(rows.stages) * rows.micro_batches << " actions";
  found.fault.got << rows.actions.size() << " for " << how_many(rows.stages, "stage") << " and "
                  << how_many(rows.micro_batches, "micro-batch");
  found.fault.hint = "number stages and micro-batches from 0 without gaps";
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
      words.expected << "stages below " << exam.rows.stages << " and ";
      if (at.kind == action_kind::update) {
        words.expected << "updates below " << updates_of_run(exam.rows);
      } else {
        words.expected << "micro-batches below " << exam.rows.micro_batches;
      }
      break;
    case schedule_fault::misplaced:
      words.expected << "actions of the stages placed on device " << device;
      words.hint << "stage " << at.stage << " is on device " << exam.rows.device_of_stage[at.stage];
      break;
    case schedule_fault::twice:
      words.expected = "every action once";
      words.got << " again";
      if (at.kind == action_kind::backward || at.kind == action_kind::input_gradient ||
          at.kind == action_kind::weight_gradient) {
        words.hint = "a backward is either whole (B) or in halves (I, then W)";
      }
      break;
    case schedule_fault::out_of_order:
      words.expected << (is_away(exam, at) ? "a fetch of what was offloaded before its backward"
                                           : order_of(at.kind));
      words.got << " first";
      break;
    case schedule_fault::early_update: {
      const action lost = lost_backward(exam, at);
      if (lost.stage >= 0) {
        return explain_lost_backward(exam, device, lost);
      }
      words.expected << "the update of stage " << at.stage << " after "
                     << (exam.rows.weights.update_interval == 0 ? "all of its backwards"
                                                                : "the backwards it takes");
      words.got << " before the last of them";
      break;
    }
    case schedule_fault::no_version:
      words.expected << "the version of the weights that is " << exam.rows.weights.delay
                     << " behind its batch";
      words.got << " before the update that makes it";
      words.hint = "let the update come earlier, or a larger delay";
      break;
    default:
      break;
  }
  return found;
}

/// The words of a device that keeps more than it may, from `at` on.
constexpr verdict explain_memory(const examination& exam, int device, int position,
                                 const action& at, std::int64_t kept, std::int64_t limit,
                                 std::string_view what) {
  verdict found = fault_at(exam, schedule_fault::memory, device, position, at);
  found.fault.expected << "at most " << how_many(limit, what) << " kept for the backward";
  found.fault.got << kept << " with " << describe(at);
  found.fault.hint = "fewer forwards ahead, recomputation, or an offload";
  return found;
}

/// The words of a device that would overwrite what it still has to read.
constexpr verdict explain_own_slot(const examination& exam, int link, int depth, int writer,
                                   int reader) {
  const program_view& rows = exam.rows;
  const action at = rows.actions[writer];
  const int device = rows.device_of_stage[at.stage];
  verdict found =
      fault_at(exam, schedule_fault::deadlock, device, writer - rows.row_begin[device], at);
  found.fault.expected << "an order in which " << describe(at) << " gets its turn";
  found.fault.got << "a wait forever for " << describe(rows.actions[reader]) << " to free a slot";
  found.fault.hint << "edge " << link << " has too few slots (" << depth << ")";
  return found;
}

/// What to do about an action that waits for another of its own step.
constexpr text<191> part_them(const action& waiting, const action& awaited) {
  text<191> hint;
  hint << describe(waiting) << " and " << describe(awaited)
       << " are one step, which starts when all of its parts can: part them";
  return hint;
}

/// The words of a step of which the part `index` waits for one before it.
constexpr verdict explain_own_step(const examination& exam, int index, int position) {
  const program_view& rows = exam.rows;
  const action* const actions = rows.actions.data();
  const action at = actions[index];
  int before = index - 1;
  const auto same_weights = [&at](const action& what) {
    return what.stage == at.stage &&
           (what.micro_batch == at.micro_batch || what.kind == action_kind::update ||
            at.kind == action_kind::update);
  };
  while (!same_weights(actions[before])) {
    --before;
  }
  const int device = rows.device_of_stage[at.stage];
  verdict found = fault_at(exam, schedule_fault::deadlock, device, position, at);
  found.fault.expected << "an order in which " << describe(at) << " gets its turn";
  found.fault.got << "a wait forever for " << describe(actions[before]);
  found.fault.hint = part_them(at, actions[before]);
  return found;
}

/// The edge whose slot a stuck device waits for, or -1 if it waits for data.
constexpr int blocking_edge(const run_input& input, const in_order_run& run, int device) {
  const int index = run.stuck(device);
  const action& what = input.rows.actions[index];
  if (!uses_edges(what.kind)) {
    return -1;
  }
  const int micro_batches = input.rows.micro_batches;
  const int row = role_row(what.stage, first_role[static_cast<int>(what.kind)]);
  const dependences& waits = input.waits;
  for (int k = waits.written.first.data()[row]; k != 0; k = waits.written.next.data()[k]) {
    const int link = waits.written.value.data()[k];
    const int back = input.steps.place.data()[index] - input.slots[link];
    const int freed = waits.freed.first.data()[link];
    for (int j = freed; back >= 0 && j != 0; j = waits.freed.next.data()[j]) {
      const int tenant = input.steps.by_order.data()[row * micro_batches + back];
      const int reader = waits.freed.value.data()[j] * micro_batches + tenant;
      if (input.steps.by_micro_batch.data()[reader] - 1 == run.waited_for(device)) {
        return link;
      }
    }
  }
  return -1;
}

/// The words of a device that waits forever, and of what stands in the way.
constexpr verdict explain_deadlock(const examination& exam, const run_input& input,
                                   const in_order_run& run) {
  const program_view& rows = exam.rows;
  int device = 0;
  while (run.cursor(device) == rows.row_begin[device + 1]) {
    ++device;
  }
  const int index = run.stuck(device);
  const action at = rows.actions[index];
  const action wanted = rows.actions[run.waited_for(device)];
  verdict found =
      fault_at(exam, schedule_fault::deadlock, device, index - rows.row_begin[device], at);
  found.fault.expected << "an order in which " << describe(at) << " gets its turn";
  found.fault.got << "a wait forever for " << describe(wanted);
  const int other = rows.device_of_stage[wanted.stage];
  const int link = blocking_edge(input, run, device);
  if (link >= 0) {
    found.fault.got << " to free a slot";
    found.fault.hint << "edge " << link << " has too few slots (" << input.slots[link] << ")";
  } else if (joined_with(rows, index).contains(run.waited_for(device))) {
    found.fault.hint = part_them(at, wanted);
  } else if (other == device) {
    found.fault.hint << describe(wanted) << " stands later in the same row";
  } else {
    const action there = rows.actions[run.stuck(other)];
    found.fault.hint << describe(wanted);
    if (there == wanted) {
      found.fault.hint << " is next on device ";
    } else if (joined_with(rows, run.stuck(other)).contains(run.waited_for(device))) {
      found.fault.hint << " is one step with " << describe(there) << " on device ";
    } else {
      found.fault.hint << " comes after " << describe(there) << " on device ";
    }
    found.fault.hint << other << ", which waits for "
                     << describe(rows.actions[run.waited_for(other)]);
  }
  return found;
}

}  // namespace proof

}  // namespace ipu_dsl
