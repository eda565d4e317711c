// SPDX-License-Identifier: MIT
// A planned program on real memory: rows of steps that a plain loop executes.
// Over 300 lines: one table, from a plan to addresses.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/lowering.hpp>
#include <ipu_dsl/runtime/execution_step.hpp>
#include <ipu_dsl/runtime/regions.hpp>
#include <ipu_dsl/runtime/slot_tenancy.hpp>
#include <ipu_dsl/runtime/worker_teams.hpp>
#include <ipu_dsl/schedule/waits.hpp>
#include <ipu_dsl/schedule/worker_rows.hpp>

namespace ipu_dsl {

/// Everything that running a program needs, resolved once when a session is made.
class execution_table {
 public:
  /// Calls of fewer operations than `shared_from` are too small to share. Throws `error` if the
  /// plan does not say in which order its actions are done or what code its calls run, if one of
  /// these has too many operands, or if it was made for another number of replicas.
  [[gnu::cold]] execution_table(const program_plan_view& plan, list_view<kernel_code> functions,
                                const region_set& memory, int workers, int replicas = 1,
                                std::int64_t shared_from = 0)
      : plan_(plan),
        replicas_(replicas),
        shared_from_(shared_from),
        teams_(workers, replicas * plan.actions.devices),
        slots_(slots_of_micro_batches(plan)) {
    check_plan();
    for (int replica = 0; replica < replicas; ++replica) {
      resolve_calls(functions, memory, replica);
      for (std::size_t edge = 0; edge < plan_.edges.size(); ++edge) {
        edges_.push_back({memory.edge(edge, replica), plan_.edges[edge].bytes * plan_.slots[edge]});
      }
    }
    first_resolved_.push_back(static_cast<std::int32_t>(calls_.size()));
    keep_told_scalars();
    resolve_steps(memory);
  }

  const worker_teams& teams() const { return teams_; }

  int replicas() const { return replicas_; }

  list_view<execution_step> row(int row) const {
    return range(steps_, row_begin_[row], row_begin_[row + 1]);
  }

  list_view<awaited_count> waits(const execution_step& step) const {
    return range(waits_, step.first_wait, step.last_wait);
  }

  list_view<resolved_call> calls(const execution_step& step) const {
    return range(calls_, step.first_call, step.last_call);
  }

  /// All slots of all edges, an entry an edge of a replica.
  list_view<freed_slot> edges() const { return edges_; }

  /// The slots that are free when a step begins, because it takes them.
  list_view<freed_slot> taken(const execution_step& step) const {
    return range(freed_, step.first_taken, step.last_taken);
  }

  /// The slots that are free when a step ends.
  list_view<freed_slot> freed(const execution_step& step) const {
    return range(freed_, step.first_freed, step.last_freed);
  }

  /// Where an operand lies for a micro-batch of its replica.
  void* address(std::int32_t operand, std::int32_t micro_batch) const {
    const resolved_operand& resolved = operands_[operand];
    const std::int32_t copy = resolved.edge < 0 ? micro_batch : slot_of(resolved.edge, micro_batch);
    return resolved.base + resolved.copy_bytes * copy;
  }

  /// Tells the calls that read them the values of the next run; null leaves all as it is.
  void tell_values(const float* values) {
    for (told_scalars& each : told_) {
      const call& row = plan_.calls[each.call];
      for (std::size_t i = 0; i < 2 && values != nullptr; ++i) {
        const std::int32_t value = row.run_values[i];
        each.numbers[i] = value == 0 ? row.scalars[i] : values[value - 1];
      }
    }
  }

  const program_plan_view& plan() const { return plan_; }

  /// Actions of each counter in one run, those of one replica after those of another.
  list_view<int> counts() const { return {counts_.data(), counts_.size()}; }

  static constexpr std::int32_t most_operands = 32;

 private:
  /// The scalars of a call that reads values of the run.
  struct told_scalars {
    std::int32_t call = 0;  ///< of the plan
    float numbers[2] = {};
  };

  /// Calls that read values of the run have scalars of their own.
  [[gnu::cold]] void keep_told_scalars() {
    for (const call& row : plan_.calls) {
      if (reads_run_values(row)) {
        told_.push_back({static_cast<std::int32_t>(&row - plan_.calls.data()),
                         {row.scalars[0], row.scalars[1]}});
      }
    }
    for (resolved_call& resolved : calls_) {
      for (const told_scalars& each : told_) {
        if (each.call == resolved.number) {
          resolved.scalars = each.numbers;
        }
      }
    }
  }

  template <typename T>
  static list_view<T> range(const list<T>& all, std::int32_t begin, std::int32_t end) {
    return {all.data() + begin, end - begin};
  }

  std::int32_t slot_of(std::int32_t edge, std::int32_t micro_batch) const {
    return slots_[edge * plan_.actions.micro_batches + micro_batch];
  }

  [[gnu::cold]] void resolve_calls(list_view<kernel_code> functions, const region_set& memory,
                                   int replica) {
    const std::int32_t micro_batches = plan_.actions.micro_batches * replicas_;
    const std::int32_t calls = static_cast<std::int32_t>(plan_.calls.size());
    for (std::int32_t i = 0; i < calls;) {
      const std::int32_t end = end_of_folds(i);
      first_resolved_.resize(first_resolved_.size() + static_cast<std::size_t>(end - i),
                             static_cast<std::int32_t>(calls_.size()));
      if (!folds(plan_.calls[i])) {
        resolve_call(i, functions, memory, replica, resolved_call::of_its_step);
      } else {
        for (std::int32_t micro_batch = 0; micro_batch < micro_batches; ++micro_batch) {
          for (std::int32_t fold = i; fold < end; ++fold) {
            resolve_call(fold, functions, memory, replica, micro_batch);
          }
        }
      }
      i = end;
    }
  }

  /// Behind the folds of a stage that begin with call `first`; all of them are performed for one
  /// micro-batch after the other, as a state may be that of several nodes. Of another call the
  /// next.
  std::int32_t end_of_folds(std::int32_t first) const {
    const std::int32_t calls = static_cast<std::int32_t>(plan_.calls.size());
    std::int32_t end = first + 1;
    while (folds(plan_.calls[first]) && end < calls && folds(plan_.calls[end]) &&
           plan_.calls[end].stage == plan_.calls[first].stage) {
      ++end;
    }
    return end;
  }

  /// Whether a call of an update reads what each micro-batch has for itself.
  bool folds(const call& row) const {
    bool any = false;
    for (std::int32_t operand = 0; operand < row.writes + row.reads; ++operand) {
      any = any || placement_of(row, operand).copy_bytes > 0;
    }
    return any && row.phase == call_phase::update;
  }

  [[gnu::cold]] void resolve_call(std::int32_t number, list_view<kernel_code> functions,
                                  const region_set& memory, int replica, std::int32_t micro_batch) {
    const call& row = plan_.calls[number];
    const std::int32_t kernel = plan_.code_of_call[number];
    const kernel_code& code = functions[kernel];
    const kernel_name& name = plan_.codes[kernel];
    resolved_call resolved{.run = code.run,
                           .scalars = row.scalars,
                           .stream = plan_.stream_of(row),
                           .loss_weight = row.loss_weight,
                           .first_operand = static_cast<std::int32_t>(operands_.size()),
                           .operands = row.writes + row.reads,
                           .number = number,
                           .micro_batch = micro_batch,
                           .samples = row.samples,
                           .steps = row.steps,
                           .in_grains = code.in_grains,
                           .too_small = row.operations / row.steps < shared_from_,
                           .reads_all_parts = code.reads_all_parts,
                           .feeds = name.transfer == transfer_kind::infeed};
    check_operands(name, resolved.operands);
    for (std::int32_t operand = 0; operand < resolved.operands; ++operand) {
      const placement& where = placement_of(row, operand);
      if (micro_batch != resolved_call::of_its_step && where.copy_bytes > 0) {
        operands_.push_back({.base = memory.copy(where, micro_batch, replicas_)});
      } else {
        resolve_operand(where, memory, replica_of_operand(row.operands_of, operand, replica));
      }
    }
    calls_.push_back(resolved);
  }

  [[gnu::cold]] void check_plan() const {
    const std::size_t actions = plan_.actions.actions.size();
    if (replicas_ != plan_.replicas) {
      raise_error({"The program was planned for ", plan_.replicas, " replicas, it cannot run with ",
                   replicas_, "."});
    }
    if (plan_.order.size() != actions || plan_.first_wait.size() != actions + 1) {
      raise_error("The plan does not say in which order its actions are done.");
    }
    if (plan_.code_of_call.size() != plan_.calls.size()) {
      raise_error("The plan does not say what code its calls run.");
    }
  }

  [[gnu::cold]] static void check_operands(const kernel_name& name, std::int32_t operands) {
    if (operands > most_operands) {
      raise_error({"A kernel takes at most ", most_operands, " operands, one of ", name.family,
                   " has ", operands, "."});
    }
  }

  const placement& placement_of(const call& row, std::int32_t operand) const {
    return plan_.placements[plan_.operands[row.first_operand + operand]];
  }

  void resolve_operand(const placement& where, const region_set& memory, int replica) {
    const bool in_slot = where.edge >= 0;
    operands_.push_back({.base = memory.at(where, replica),
                         .copy_bytes = in_slot ? plan_.edges[where.edge].bytes : where.copy_bytes,
                         .edge = where.edge});
  }

  [[gnu::cold]] void resolve_steps(const region_set& memory) {
    const program_view& rows = plan_.actions;
    const list<int> counts = counts_of_run(rows);
    for (int replica = 0; replica < replicas_; ++replica) {
      counts_.append(counts);
    }
    const list<int> order = order_within_work();
    const worker_rows projected = rows_of_workers();
    const int actions = static_cast<int>(rows.actions.size());
    for (const int entry : projected.actions) {
      const int replica = entry / actions;
      const int index = entry % actions;
      execution_step made = step_of(rows.actions[index], replica);
      made.order = order[index];
      made.completes = made.order == rows.micro_batches - 1;
      made.first_wait = static_cast<std::int32_t>(waits_.size());
      for (int i = plan_.first_wait[index]; i < plan_.first_wait[index + 1]; ++i) {
        const awaited_count& awaited = plan_.waits[i];
        waits_.push_back({counters_a_replica() * replica + awaited.counter, awaited.position});
      }
      wait_for_replicas(made);
      made.last_wait = static_cast<std::int32_t>(waits_.size());
      collect_slots(made, memory);
      steps_.push_back(made);
    }
    row_begin_ = projected.row_begin;
  }

  int counters_a_replica() const { return plan_.actions.stages * action_kinds; }

  execution_step step_of(const action& what, int replica) const {
    const int device = plan_.actions.device_of_stage[what.stage];
    const std::size_t entry = action_entry(what.stage, what.kind);
    execution_step made{
        .what = what,
        .device = replica * plan_.actions.devices + device,
        .replica = replica,
        .counter = counters_a_replica() * replica + counter_of(what.stage, what.kind),
        .first_call = first_resolved(replica, plan_.first_call[entry]),
        .last_call =
            first_resolved(replica, plan_.first_call[last_call_entry(what.stage, what.kind)])};
    if (what.kind == action_kind::update && replicas_ > 1) {
      made.shared = in_separate_grains(made);
      made.last_call = made.shared || replica == 0 ? made.last_call : made.first_call;
    }
    return made;
  }

  /// Where in `calls_` a call of the plan begins for a replica.
  std::int32_t first_resolved(int replica, std::int32_t number) const {
    const int calls = static_cast<int>(plan_.calls.size());
    return first_resolved_[replica * calls + number];
  }

  /// Whether every call of a step can be shared by workers that do not meet between its calls, as
  /// those of several replicas do not. An update of which one cannot is done by the first replica.
  bool in_separate_grains(const execution_step& step) const {
    bool all = true;
    for (const resolved_call& row : calls(step)) {
      all = all && row.in_grains && !row.reads_all_parts;
    }
    return all;
  }

  /// An update reads the gradients of all replicas.
  [[gnu::cold]] void wait_for_replicas(const execution_step& step) {
    if (step.what.kind != action_kind::update) {
      return;
    }
    for (int replica = 0; replica < replicas_; ++replica) {
      for (int kind = 0; kind < action_kinds; ++kind) {
        const int counter = counters_a_replica() * replica +
                            counter_of(step.what.stage, static_cast<action_kind>(kind));
        const int count = counts_[counter];
        if (replica != step.replica && count > 0 && ends_backward[kind]) {
          waits_.push_back({counter, count - 1});
        }
      }
    }
  }

  /// The rows of the teams: each takes neighbouring devices, in the order of the proof.
  [[gnu::cold]] worker_rows rows_of_workers() const {
    const program_view& rows = plan_.actions;
    list<int> row_of_device;
    for (int device = 0; device < replicas_ * rows.devices; ++device) {
      row_of_device.push_back(teams_.row_of_device(device));
    }
    return project(rows, plan_.order, teams_.rows(), row_of_device);
  }

  /// By action: its place among those of its stage that do the same work. A whole backward and a
  /// weight gradient both add to the stage's gradients.
  [[gnu::cold]] list<int> order_within_work() const {
    list<int> done(counters_a_replica());
    list<int> order;
    for (const action& what : plan_.actions.actions) {
      int& before = done[counter_of(what.stage, last_part(what.kind))];
      order.push_back(before);
      ++before;
    }
    return order;
  }

  [[gnu::cold]] void collect_slots(execution_step& step, const region_set& memory) {
    step.first_freed = static_cast<std::int32_t>(freed_.size());
    collect_slots(step, memory, freed_by);
    step.last_freed = static_cast<std::int32_t>(freed_.size());
    step.first_taken = step.last_freed;
    collect_slots(step, memory, taken_by);
    step.last_taken = static_cast<std::int32_t>(freed_.size());
  }

  void collect_slots(const execution_step& step, const region_set& memory,
                     bool (*affects)(const program_plan_view&, const action&, const edge&)) {
    for (std::size_t index = 0; index < plan_.edges.size(); ++index) {
      const edge& link = plan_.edges[index];
      if (affects(plan_, step.what, link)) {
        const auto slot = slot_of(static_cast<std::int32_t>(index), step.what.micro_batch);
        freed_.push_back({memory.edge(index, step.replica) + link.bytes * slot, link.bytes});
      }
    }
  }

  program_plan_view plan_;
  int replicas_;
  std::int64_t shared_from_;
  worker_teams teams_;
  list<std::int32_t> slots_;  ///< [edges, micro-batches]
  list<resolved_operand> operands_;
  list<resolved_call> calls_;  ///< of each replica
  list<told_scalars> told_;
  list<std::int32_t> first_resolved_;  ///< [replicas, calls of the plan], and the end
  list<awaited_count> waits_;
  list<freed_slot> edges_;  ///< [replicas, edges]
  list<freed_slot> freed_;
  list<execution_step> steps_;  ///< row after row
  list<int> row_begin_;         ///< [rows + 1]
  list<int> counts_;            ///< [replicas, counters]
};

}  // namespace ipu_dsl
