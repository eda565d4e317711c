// SPDX-License-Identifier: MIT
// What the rows of a program say by themselves, before any of them waits for another.
// Over 300 lines: one check behind the other, each with its sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/action_life.hpp>
#include <ipu_dsl/schedule/step_checks.hpp>
#include <ipu_dsl/schedule/verdict.hpp>

namespace ipu_dsl {

/// What the devices may keep for the backward, in micro-batches and in bytes: [devices], or empty
/// for no limit. Recomputed micro-batches count from their forward on.
struct proof_limits {
  list_view<int> stash_of_device = {};
  list_view<std::int64_t> bytes_of_device = {};

  constexpr bool any() const { return !stash_of_device.empty() || !bytes_of_device.empty(); }
};

namespace proof {

/// What is wrong with an action where `life` has happened before.
constexpr schedule_fault fault_of_life(action_kind kind, int life) {
  const life_rule& rule = life_rules[static_cast<int>(kind)];
  return (life & rule.repeats) != 0 ? schedule_fault::twice : schedule_fault::out_of_order;
}

/// Walks the rows action by action, entering each into the tables of the examination. Members are
/// raw pointers, because in a constant evaluation every call of an access costs.
class row_walk {
 public:
  constexpr explicit row_walk(examination& exam)
      : exam_(exam),
        entry_(exam.steps),
        actions_(exam.rows.actions.data()),
        lives_(exam.lives.data()),
        updates_(exam.updates.data()),
        weights_(exam.rows.weights),
        stages_(exam.rows.stages),
        micro_batches_(exam.rows.micro_batches),
        updates_of_run_(updates_of_run(exam.rows)),
        promises_versions_(weights_.update_interval > 0 && weights_.delay >= 0) {}

  /// The first fault: unknown, misplaced, twice, out of order, update too early, no version.
  constexpr verdict walk() { return walk(0, exam_.rows.devices); }

  /// The same of the devices [first, last) alone: the rows of others say nothing about their
  /// stages.
  constexpr verdict walk(int first, int last) {
    const program_view& rows = exam_.rows;
    const int* const device_of_stage = rows.device_of_stage.data();
    int index = rows.row_begin.data()[first];
    for (int device = first; device < last; ++device) {
      const int begin = index;
      const int end = rows.row_begin.data()[device + 1];
      for (; index < end; ++index) {
        const action what = actions_[index];
        const schedule_fault fault = !known(what) ? schedule_fault::unknown
                                     : device_of_stage[what.stage] != device
                                         ? schedule_fault::misplaced
                                         : enter(what, index);
        if (fault != schedule_fault::none) {
          return explain(exam_, fault, device, index - begin, what);
        }
      }
    }
    return {};
  }

 private:
  /// Whether the numbers of an action are those of the program.
  constexpr bool known(const action& what) const {
    return what.stage >= 0 && what.stage < stages_ && what.micro_batch >= 0 &&
           what.micro_batch <
               (what.kind == action_kind::update ? updates_of_run_ : micro_batches_) &&
           static_cast<int>(what.kind) < action_kinds;
  }

  constexpr schedule_fault enter(const action& what, int index) {
    if (what.kind == action_kind::update) {
      return enter_update(what);
    }
    int& life = lives_[what.stage * micro_batches_ + what.micro_batch];
    const life_rule& rule = life_rules[static_cast<int>(what.kind)];
    if ((life & rule.needs) != rule.needs || (life & rule.refuses) != 0) {
      return fault_of_life(what.kind, life);
    }
    life = (life | rule.sets) & ~rule.clears;
    entry_.enter(what, index);
    return !promises_versions_ || what.kind != action_kind::forward || finds_version(what)
               ? schedule_fault::none
               : schedule_fault::no_version;
  }

  /// The updates of a stage come in ascending order, each after the backwards that it takes.
  constexpr schedule_fault enter_update(const action& what) {
    int& updates = updates_[what.stage];
    if (what.micro_batch != updates) {
      return what.micro_batch < updates ? schedule_fault::twice : schedule_fault::out_of_order;
    }
    ++updates;
    return backwards_ended(what.stage, what.micro_batch) ? schedule_fault::none
                                                         : schedule_fault::early_update;
  }

  /// Whether the backwards that update `number` of a stage takes have all ended.
  constexpr bool backwards_ended(int stage, int number) const {
    const int interval = weights_.update_interval == 0 ? micro_batches_ : weights_.update_interval;
    const int next = (number + 1) * interval;
    const int end = next < micro_batches_ ? next : micro_batches_;
    const int* const life = lives_ + stage * micro_batches_;
    for (int i = number * interval; i < end; ++i) {
      if ((life[i] & backward_ended) == 0) {
        return false;
      }
    }
    return true;
  }

  /// Whether a forward finds the version of the weights that the policy promises.
  constexpr bool finds_version(const action& what) const {
    const int batch = what.micro_batch / weights_.update_interval;
    return updates_[what.stage] >= batch - weights_.delay;
  }

  examination& exam_;
  step_entry entry_;
  const action* actions_;
  int* lives_;
  int* updates_;
  weight_policy weights_;
  int stages_;
  int micro_batches_;
  int updates_of_run_;
  bool promises_versions_;
};

/// A stage that went backward is updated, as often as the policy says.
constexpr verdict check_updates(const examination& exam) {
  const program_view& rows = exam.rows;
  const int expected = updates_of_run(rows);
  for (int stage = 0; stage < rows.stages; ++stage) {
    const int updates = exam.updates[stage];
    if (updates != expected) {
      const action lost = {action_kind::update, stage, updates};
      verdict found =
          fault_at(exam, schedule_fault::missing, rows.device_of_stage[stage], -1, lost);
      found.fault.expected << "an update of every stage after its backwards";
      found.fault.got << "no " << describe(lost);
      if (updates == 0 && expected == 1) {
        found.fault.hint = "end_training_row(device) in place of end_row() puts them there";
      }
      return found;
    }
  }
  return {};
}

/// Whether there is no action but forwards.
constexpr bool has_only_forwards(const examination& exam) {
  int forwards = 0;
  for (int stage = 0; stage < exam.rows.stages; ++stage) {
    forwards += exam.steps.count[role_row(stage, step_role::forward)];
  }
  return forwards == static_cast<int>(exam.rows.actions.size());
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
      verdict found =
          fault_at(exam, schedule_fault::missing, rows.device_of_stage[stage], -1, missing);
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
    const int readers = static_cast<int>(exam.graph.readers.size());
    bool wrong = link.reader_count < 0 || link.first_reader < 0 ||
                 link.reader_count > readers - link.first_reader ||
                 link.writer.kind == action_kind::weight_gradient ||
                 !uses_edges(link.writer.kind) || link.writer.stage < 0 ||
                 link.writer.stage >= exam.rows.stages;
    for (int which = 0; !wrong && which < link.reader_count; ++which) {
      const step reader = exam.graph.readers_of(link)[which];
      wrong = !uses_edges(reader.kind) || reader.stage < 0 || reader.stage >= exam.rows.stages;
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

/// What a device keeps for the backward stays below its limits.
constexpr verdict check_memory(const examination& exam, const proof_limits& limits) {
  const program_view& rows = exam.rows;
  for (int device = 0; device < rows.devices; ++device) {
    const bool counts = device < static_cast<int>(limits.stash_of_device.size());
    const bool weighs = device < static_cast<int>(limits.bytes_of_device.size());
    std::int64_t kept = 0;
    std::int64_t bytes = 0;
    int position = 0;
    for (const action& what : rows.row(device)) {
      const int change = stash_change(what.kind);
      kept += change;
      bytes += change * exam.graph.costs[what.stage].stash_bytes;
      if (counts && kept > limits.stash_of_device[device]) {
        return explain_memory(exam, device, position, what, kept, limits.stash_of_device[device],
                              "micro-batch");
      }
      if (weighs && bytes > limits.bytes_of_device[device]) {
        return explain_memory(exam, device, position, what, bytes, limits.bytes_of_device[device],
                              "byte");
      }
      ++position;
    }
  }
  return {};
}

/// An examination with this table of steps; nothing else is known yet.
constexpr examination begin_examination(const program_view& rows, const stage_graph_view& graph,
                                        std::string_view name, step_table steps) {
  examination exam = {name, rows, graph, std::move(steps), list<int>(rows.stages), {}};
  exam.lives.reserve(rows.stages * rows.micro_batches);
  return exam;
}

/// What rows that have all been walked say together.
constexpr verdict check_walked(examination& exam, const proof_limits& limits) {
  exam.forward_only = has_only_forwards(exam);
  verdict found = check_steps(exam);
  if (found.proven()) {
    found = check_complete(exam);
  }
  if (found.proven() && !exam.forward_only) {
    found = check_updates(exam);
  }
  if (found.proven()) {
    found = check_edges(exam);
  }
  if (found.proven() && !exam.forward_only && limits.any()) {
    found = check_memory(exam, limits);
  }
  return found;
}

/// The same with a table of its own.
constexpr examination begin_examination(const program_view& rows, const stage_graph_view& graph,
                                        std::string_view name) {
  return begin_examination(rows, graph, name, step_table(rows));
}

/// Everything that the rows say by themselves, before any of them waits for another.
constexpr verdict check_standing(examination& exam, const proof_limits& limits) {
  const verdict found = row_walk(exam).walk();
  return found.proven() ? check_walked(exam, limits) : found;
}

}  // namespace proof

}  // namespace ipu_dsl
