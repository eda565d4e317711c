// SPDX-License-Identifier: MIT
// A planned program on real memory: rows of steps that a plain loop executes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/runtime/regions.hpp>
#include <ipu_dsl/schedule/waits.hpp>
#include <ipu_dsl/schedule/worker_rows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// An operand on real memory: of an edge, the copy in the slot of the micro-batch.
struct resolved_operand {
  std::byte* base = nullptr;
  std::int64_t slot_bytes = 0;
  std::int32_t edge = -1;
};

/// A call with its code; its operands stand one after the other in the table.
struct resolved_call {
  kernel_function run = nullptr;
  const float* scalars = nullptr;
  std::int32_t node = -1;
  std::int32_t first_operand = 0;
  std::int32_t operands = 0;
};

/// A slot of an edge that nobody reads any more.
struct freed_slot {
  std::byte* memory = nullptr;
  std::int64_t bytes = 0;
};

/// One action of a worker: wait, call, count.
struct execution_step {
  action what = {};
  std::int32_t device = 0;
  std::int32_t order = 0;    ///< place among those of its stage that do the same work
  std::int32_t counter = 0;  ///< the one that counts it
  std::int32_t first_wait = 0;
  std::int32_t last_wait = 0;
  std::int32_t first_call = 0;
  std::int32_t last_call = 0;
  std::int32_t first_freed = 0;
  std::int32_t last_freed = 0;
  std::int32_t first_taken = 0;
  std::int32_t last_taken = 0;
};

/// Everything that running a program needs, resolved once when a session is made.
class execution_table {
 public:
  execution_table(const program_plan_view& plan, std::span<const kernel_function> functions,
                  const region_set& memory, int workers)
      : plan_(plan) {
    resolve_slots();
    for (std::size_t edge = 0; edge < plan_.edges.size(); ++edge) {
      edges_.push_back({memory.edge(edge), plan_.edges[edge].bytes * plan_.slots[edge]});
    }
    resolve_calls(functions, memory);
    resolve_steps(memory, workers);
  }

  std::span<const execution_step> row(int worker) const {
    const auto begin = static_cast<std::size_t>(row_begin_[static_cast<std::size_t>(worker)]);
    const auto end = static_cast<std::size_t>(row_begin_[static_cast<std::size_t>(worker) + 1]);
    return std::span(steps_).subspan(begin, end - begin);
  }

  std::span<const wait> waits(const execution_step& step) const {
    return range(waits_, step.first_wait, step.last_wait);
  }

  std::span<const resolved_call> calls(const execution_step& step) const {
    return range(calls_, step.first_call, step.last_call);
  }

  /// All slots of all edges, an entry an edge.
  std::span<const freed_slot> edges() const { return edges_; }

  /// The slots that are free when a step begins, because it takes them.
  std::span<const freed_slot> taken(const execution_step& step) const {
    return range(freed_, step.first_taken, step.last_taken);
  }

  /// The slots that are free when a step ends.
  std::span<const freed_slot> freed(const execution_step& step) const {
    return range(freed_, step.first_freed, step.last_freed);
  }

  /// Where an operand lies for a micro-batch.
  void* address(std::int32_t operand, std::int32_t micro_batch) const {
    const resolved_operand& resolved = operands_[static_cast<std::size_t>(operand)];
    if (resolved.edge < 0) {
      return resolved.base;
    }
    return resolved.base + resolved.slot_bytes * slot_of(resolved.edge, micro_batch);
  }

  const program_plan_view& plan() const { return plan_; }

  /// Actions of each counter in one run.
  std::span<const int> counts() const { return {counts_.data(), counts_.size()}; }

  static constexpr std::int32_t most_operands = 32;

 private:
  template <typename T>
  static std::span<const T> range(const std::vector<T>& all, std::int32_t begin, std::int32_t end) {
    return std::span(all).subspan(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(end - begin));
  }

  std::int32_t slot_of(std::int32_t edge, std::int32_t micro_batch) const {
    return slots_[static_cast<std::size_t>(edge * plan_.actions.micro_batches + micro_batch)];
  }

  /// The k-th write of an edge goes to slot k modulo their number, as the proof has it.
  void resolve_slots() {
    const auto micro_batches = static_cast<std::size_t>(plan_.actions.micro_batches);
    slots_.resize(plan_.edges.size() * micro_batches, 0);
    for (std::size_t edge = 0; edge < plan_.edges.size(); ++edge) {
      const step writer = plan_.edges[edge].writer;
      int written = 0;
      for (const action& what : plan_.actions.actions) {
        if (does(what, writer)) {
          slots_[edge * micro_batches + static_cast<std::size_t>(what.micro_batch)] =
              written % plan_.slots[edge];
          ++written;
        }
      }
    }
  }

  void resolve_calls(std::span<const kernel_function> functions, const region_set& memory) {
    for (std::size_t i = 0; i < plan_.calls.size(); ++i) {
      const call& row = plan_.calls[i];
      resolved_call resolved{.run = functions[static_cast<std::size_t>(plan_.code_of_call[i])],
                             .scalars = row.scalars,
                             .node = row.node,
                             .first_operand = static_cast<std::int32_t>(operands_.size()),
                             .operands = row.writes + row.reads};
      if (resolved.operands > most_operands) {
        throw error("A kernel takes at most " + std::to_string(most_operands) +
                    " operands, one of " + std::string(row.code->name) + " has " +
                    std::to_string(resolved.operands) + ".");
      }
      for (std::int32_t operand = 0; operand < resolved.operands; ++operand) {
        const auto entry = static_cast<std::size_t>(row.first_operand + operand);
        const auto buffer = static_cast<std::size_t>(plan_.operands[entry]);
        const placement& where = plan_.placements[buffer];
        const bool in_slot = where.edge >= 0;
        operands_.push_back(
            {.base = memory.at(where.region) + where.offset,
             .slot_bytes = in_slot ? plan_.edges[static_cast<std::size_t>(where.edge)].bytes : 0,
             .edge = where.edge});
      }
      calls_.push_back(resolved);
    }
  }

  void resolve_steps(const region_set& memory, int workers) {
    const program_view& rows = plan_.actions;
    const wait_list waits = waits_of(rows, plan_.stages(), plan_.slots);
    waits_.assign(waits.waits.begin(), waits.waits.end());
    const list<int> counts = counts_of_run(rows);
    counts_.assign(counts.begin(), counts.end());
    const std::vector<int> order = order_within_work();
    const worker_rows projected = rows_of_workers(workers);
    for (const int i : projected.actions) {
      const auto index = static_cast<std::size_t>(i);
      const action& what = rows.actions[index];
      const std::size_t entry = action_entry(what.stage, what.kind);
      execution_step made{.what = what,
                          .device = rows.device_of_stage[static_cast<std::size_t>(what.stage)],
                          .order = order[index],
                          .counter = counter_of(what.stage, what.kind),
                          .first_wait = waits.begin[index],
                          .last_wait = waits.begin[index + 1],
                          .first_call = plan_.first_call[entry],
                          .last_call = plan_.first_call[last_call_entry(what.stage, what.kind)],
                          .first_freed = static_cast<std::int32_t>(freed_.size())};
      collect_freed(what, memory);
      made.last_freed = static_cast<std::int32_t>(freed_.size());
      made.first_taken = made.last_freed;
      collect_taken(what, memory);
      made.last_taken = static_cast<std::int32_t>(freed_.size());
      steps_.push_back(made);
    }
    row_begin_.assign(projected.row_begin.begin(), projected.row_begin.end());
  }

  /// The rows of the workers: each takes neighbouring devices, in the order of the proof.
  worker_rows rows_of_workers(int workers) const {
    const program_view& rows = plan_.actions;
    std::vector<int> worker_of_device;
    for (int device = 0; device < rows.devices; ++device) {
      worker_of_device.push_back(device * workers / rows.devices);
    }
    return project(rows, global_order(rows, plan_.stages(), plan_.slots), workers,
                   worker_of_device);
  }

  /// By action: its place among those of its stage that do the same work. A whole backward and a
  /// weight gradient both add to the stage's gradients.
  std::vector<int> order_within_work() const {
    std::vector<int> done(counts_.size(), 0);
    std::vector<int> order;
    for (action what : plan_.actions.actions) {
      what.kind = what.kind == action_kind::backward ? action_kind::weight_gradient : what.kind;
      int& before = done[entry_of(what)];
      order.push_back(before);
      ++before;
    }
    return order;
  }

  static std::size_t entry_of(const action& what) {
    return static_cast<std::size_t>(counter_of(what.stage, what.kind));
  }

  /// The action that does the last work on a slot of an edge. Readers stand in an order in which a
  /// micro-batch can meet them.
  static step last_user(const ipu_dsl::edge& link) {
    return link.reader_count > 0 ? link.readers[link.reader_count - 1] : link.writer;
  }

  /// Whether the last of an edge's readers really comes last: a weight gradient and the backward of
  /// another stage come in either order.
  static bool last_is_known(const ipu_dsl::edge& link) {
    const step last = last_user(link);
    for (int which = 0; which < link.reader_count; ++which) {
      const step reader = link.readers[which];
      if (last.kind == action_kind::weight_gradient && reader.stage != last.stage &&
          reader.kind != action_kind::forward) {
        return false;
      }
    }
    return true;
  }

  /// Whether an action does the work of a step; a whole backward does that of both halves.
  static bool does(const action& what, const step& work) {
    const bool half =
        work.kind == action_kind::input_gradient || work.kind == action_kind::weight_gradient;
    return what.stage == work.stage &&
           (what.kind == work.kind || (half && what.kind == action_kind::backward));
  }

  /// The slots that are free when an action ends.
  void collect_freed(const action& what, const region_set& memory) {
    for (std::size_t edge = 0; edge < plan_.edges.size(); ++edge) {
      const ipu_dsl::edge& link = plan_.edges[edge];
      if (last_is_known(link) && does(what, last_user(link))) {
        collect(edge, what.micro_batch, memory);
      }
    }
  }

  /// The slots that nobody reads any more when an action takes them, where it is not known before.
  void collect_taken(const action& what, const region_set& memory) {
    for (std::size_t edge = 0; edge < plan_.edges.size(); ++edge) {
      const ipu_dsl::edge& link = plan_.edges[edge];
      if (!last_is_known(link) && does(what, link.writer)) {
        collect(edge, what.micro_batch, memory);
      }
    }
  }

  void collect(std::size_t edge, std::int32_t micro_batch, const region_set& memory) {
    const std::int64_t bytes = plan_.edges[edge].bytes;
    const std::int32_t slot = slot_of(static_cast<std::int32_t>(edge), micro_batch);
    freed_.push_back({memory.edge(edge) + bytes * slot, bytes});
  }

  program_plan_view plan_;
  std::vector<std::int32_t> slots_;  ///< [edges, micro-batches]
  std::vector<resolved_operand> operands_;
  std::vector<resolved_call> calls_;
  std::vector<wait> waits_;
  std::vector<freed_slot> edges_;  ///< [edges]
  std::vector<freed_slot> freed_;
  std::vector<execution_step> steps_;  ///< worker after worker
  std::vector<int> row_begin_;         ///< [workers + 1]
  std::vector<int> counts_;            ///< [counters]
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
