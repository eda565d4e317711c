// SPDX-License-Identifier: MIT
// The proof that a program does all of its work, in a legal order, and never waits forever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <ipu_dsl/schedule/in_order_run.hpp>
#include <ipu_dsl/schedule/verdict.hpp>

namespace ipu_dsl {

namespace proof {

/// Whether counts do not fit each other.
constexpr bool malformed(const program_view& rows, const stage_graph_view& graph,
                         std::span<const int> slots) {
  const std::size_t stages = static_cast<std::size_t>(rows.stages);
  bool wrong = rows.devices < 1 || rows.stages < 1 || rows.micro_batches < 1 ||
               rows.device_of_stage.size() != stages || graph.stages != rows.stages ||
               graph.costs.size() != stages ||
               rows.row_begin.size() != static_cast<std::size_t>(rows.devices) + 1 ||
               (!slots.empty() && slots.size() != graph.edges.size()) ||
               (!rows.slot.empty() && rows.slot.size() != rows.actions.size());
  for (std::size_t device = 0; !wrong && device + 1 < rows.row_begin.size(); ++device) {
    wrong = rows.row_begin[device] > rows.row_begin[device + 1];
  }
  wrong = wrong || rows.row_begin[0] != 0 ||
          rows.row_begin[rows.row_begin.size() - 1] != static_cast<int>(rows.actions.size());
  for (const int slot_count : slots) {
    wrong = wrong || slot_count < 1;
  }
  return wrong;
}

/// What has happened to a micro-batch in a stage, and what each kind of action makes of it: bits
/// that must be there, bits that must not, bits it sets.
struct life_rule {
  int needs;
  int refuses;
  int sets;
};

inline constexpr int forward_done = 1;
inline constexpr int recompute_done = 2;
inline constexpr int backward_begun = 4;
inline constexpr int backward_ended = 8;

inline constexpr life_rule life_rules[action_kinds] = {
    {0, forward_done, forward_done},
    {forward_done, backward_begun | backward_ended, backward_begun | backward_ended},
    {forward_done, backward_begun, backward_begun},
    {backward_begun, backward_ended, backward_ended},
    {forward_done, recompute_done | backward_begun, recompute_done},
    {0, 0, 0},
};

/// What is wrong with an action where `life` has happened before.
constexpr schedule_fault fault_of_life(action_kind kind, int life) {
  const bool recompute_late = kind == action_kind::recompute && (life & recompute_done) == 0;
  const life_rule& rule = life_rules[static_cast<int>(kind)];
  return (life & rule.refuses) != 0 && !recompute_late ? schedule_fault::twice
                                                       : schedule_fault::out_of_order;
}

/// An update comes once, after the last backward of its stage; `updates` counts them.
constexpr schedule_fault fault_of_update(const examination& exam, int stage, int* updates) {
  ++updates[stage];
  const int ended = exam.steps.count.data()[role_row(stage, step_role::backward_end)];
  return updates[stage] > 1                ? schedule_fault::twice
         : ended < exam.rows.micro_batches ? schedule_fault::early_update
                                           : schedule_fault::none;
}

/// What is wrong with each row, action by action: unknown, misplaced, twice, out of order.
constexpr verdict check_rows(examination& exam) {
  const program_view& rows = exam.rows;
  const action* const actions = rows.actions.data();
  step_entry entry(exam.steps);
  list<int> life_storage;
  life_storage.reserve(static_cast<std::size_t>(rows.stages * rows.micro_batches));
  int* const life = life_storage.data();
  const int* const device_of_stage = rows.device_of_stage.data();
  int index = 0;
  for (int device = 0; device < rows.devices; ++device) {
    const int begin = index;
    const int end = rows.row_begin.data()[device + 1];
    for (; index < end; ++index) {
      const action& what = actions[index];
      schedule_fault fault = schedule_fault::none;
      if (what.stage < 0 || what.stage >= rows.stages || what.micro_batch < 0 ||
          what.micro_batch >= rows.micro_batches || static_cast<int>(what.kind) >= action_kinds) {
        fault = schedule_fault::unknown;
      } else if (device_of_stage[what.stage] != device) {
        fault = schedule_fault::misplaced;
      } else if (what.kind == action_kind::update) {
        fault = fault_of_update(exam, what.stage, exam.updates.data());
      } else {
        int& lived = life[what.stage * rows.micro_batches + what.micro_batch];
        const life_rule& rule = life_rules[static_cast<int>(what.kind)];
        if ((lived & rule.needs) != rule.needs || (lived & rule.refuses) != 0) {
          fault = fault_of_life(what.kind, lived);
        }
        lived |= rule.sets;
        entry.enter(what, index);
      }
      if (fault != schedule_fault::none) {
        return explain(exam, fault, device, index - begin, what);
      }
    }
  }
  return {};
}

/// A stage that went backward is updated.
constexpr verdict check_updates(const examination& exam) {
  const program_view& rows = exam.rows;
  for (int stage = 0; stage < rows.stages; ++stage) {
    if (exam.updates[static_cast<std::size_t>(stage)] == 0) {
      const action lost = {action_kind::update, stage, 0};
      verdict found = fault_at(exam, schedule_fault::missing,
                               rows.device_of_stage[static_cast<std::size_t>(stage)], -1, lost);
      found.fault.expected << "an update of every stage after its backwards";
      found.fault.got << "no " << describe(lost);
      return found;
    }
  }
  return {};
}

/// Whether there is no action but forwards.
constexpr bool has_only_forwards(const examination& exam) {
  std::size_t forwards = 0;
  for (int stage = 0; stage < exam.rows.stages; ++stage) {
    forwards +=
        static_cast<std::size_t>(exam.steps.count.data()[role_row(stage, step_role::forward)]);
  }
  return forwards == exam.rows.actions.size();
}

/// Every micro-batch goes forward in every stage and, unless all of the program only goes forward,
/// backward to the end.
constexpr verdict check_complete(const examination& exam) {
  const program_view& rows = exam.rows;
  const int roles = exam.forward_only ? 1 : step_roles;
  for (int stage = 0; stage < rows.stages; ++stage) {
    for (int role = 0; role < roles; ++role) {
      const int row = stage * step_roles + role;
      if (role == static_cast<int>(step_role::recompute) ||
          exam.steps.count.data()[row] == rows.micro_batches) {
        continue;
      }
      int lost = 0;
      while (exam.steps.by_micro_batch.data()[row * rows.micro_batches + lost] != 0) {
        ++lost;
      }
      constexpr action_kind kind_of_role[step_roles] = {
          action_kind::forward, action_kind::recompute, action_kind::backward,
          action_kind::weight_gradient};
      const action missing = {kind_of_role[role], stage, lost};
      verdict found = fault_at(exam, schedule_fault::missing,
                               rows.device_of_stage[static_cast<std::size_t>(stage)], -1, missing);
      found.fault.expected << "every micro-batch forward"
                           << (exam.forward_only ? "" : " and backward") << " in every stage";
      found.fault.got << "no " << describe(missing);
      return found;
    }
  }
  return {};
}

/// Every edge is written by a step that exists, and by one that hands over something.
constexpr verdict check_edges(const examination& exam) {
  int number = 0;
  for (const edge& link : exam.graph.edges) {
    bool wrong = link.reader_count < 0 || link.reader_count > edge::max_readers ||
                 link.writer.kind == action_kind::weight_gradient ||
                 link.writer.kind == action_kind::update || link.writer.stage < 0 ||
                 link.writer.stage >= exam.rows.stages;
    for (int which = 0; !wrong && which < link.reader_count; ++which) {
      const step reader = link.readers[which];
      wrong = reader.kind == action_kind::update || reader.stage < 0 ||
              reader.stage >= exam.rows.stages;
    }
    if (!wrong && link.writer.kind == action_kind::recompute) {
      wrong = exam.steps.count.data()[role_row(link.writer.stage, step_role::recompute)] !=
              exam.rows.micro_batches;
    }
    if (wrong) {
      verdict found = fault_at(exam, schedule_fault::unknown, -1, -1, {});
      found.fault.expected << "edge " << number << " between steps that the program does";
      found.fault.got << "a writer " << letter(link.writer.kind) << link.writer.stage << " with "
                      << link.reader_count << " readers";
      return found;
    }
    ++number;
  }
  return {};
}

/// Edges within a device: the row reads the previous tenant of a slot before it writes the next.
constexpr verdict check_own_slots(const examination& exam, const dependences& waits,
                                  const list<int>& slots) {
  const int micro_batches = exam.rows.micro_batches;
  const int* const by_micro_batch = exam.steps.by_micro_batch.data();
  const int* const by_order = exam.steps.by_order.data();
  for (std::size_t link = 0; link < waits.within.size(); ++link) {
    if (!waits.within[link]) {
      continue;
    }
    const int writer_row = waits.writer[link] * micro_batches;
    const int depth = slots[link];
    for (int k = waits.freed.first[link]; k != 0; k = waits.freed.next.data()[k]) {
      const int reader_row = waits.freed.value.data()[k] * micro_batches;
      for (int write = depth; write < micro_batches; ++write) {
        const int reader = by_micro_batch[reader_row + by_order[writer_row + write - depth]];
        const int writer = by_micro_batch[writer_row + by_order[writer_row + write]];
        if (reader > writer) {
          return explain_own_slot(exam, static_cast<int>(link), depth, writer - 1, reader - 1);
        }
      }
    }
  }
  return {};
}

}  // namespace proof

/// Proves a program against the edges of its stages. It is complete (every forward once, every
/// backward once, whole or in halves, every update once after the backwards), in place, in order,
/// and no device waits forever, neither for data nor for a slot whose previous tenant is still to
/// be read. A program of forwards alone needs nothing else.
///
/// `slots_per_edge` is [edges], or empty for as many as micro-batches; the k-th write of an edge
/// goes to slot k modulo their number. Cost: 16 devices x 256 micro-batches stay below the default
/// limits of both compilers (tests/schedule/large.cpp).
constexpr verdict prove(const program_view& rows, const stage_graph_view& graph,
                        std::span<const int> slots_per_edge = {}, std::string_view name = "mine") {
  if (proof::malformed(rows, graph, slots_per_edge)) {
    verdict found;
    found.kind = schedule_fault::malformed;
    found.fault.where << "schedule " << name;
    found.fault.expected = "rows, placement, costs and slots that fit each other";
    found.fault.got << rows.devices << " devices, " << rows.stages << " stages, "
                    << rows.micro_batches << " micro-batches and " << slots_per_edge.size()
                    << " slot counts";
    found.fault.hint = "every edge needs at least one slot, every device a row";
    return found;
  }
  proof::examination exam = {name, rows, graph, step_table(rows),
                             list<int>(static_cast<std::size_t>(rows.stages), 0)};
  verdict found = proof::check_rows(exam);
  if (!found.proven()) {
    return found;
  }
  exam.forward_only = proof::has_only_forwards(exam);
  found = proof::check_complete(exam);
  if (found.proven() && !exam.forward_only) {
    found = proof::check_updates(exam);
  }
  if (found.proven()) {
    found = proof::check_edges(exam);
  }
  if (!found.proven()) {
    return found;
  }
  const list<int> slots = slots_or_unbounded(rows, graph, slots_per_edge);
  const dependences waits = sort_edges(graph, rows.device_of_stage, exam.forward_only);
  found = proof::check_own_slots(exam, waits, slots);
  if (!found.proven()) {
    return found;
  }
  const list<std::int64_t> duration = durations(graph);
  in_order_run run({rows, exam.steps, waits, slots, duration});
  run.advance();
  return run.complete() ? found : proof::explain_deadlock(exam, run, slots);
}

}  // namespace ipu_dsl
