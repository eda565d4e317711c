// SPDX-License-Identifier: MIT
// Runs a planned program: every worker walks its row, waits, calls, counts. Nothing is decided
// here.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>

#include <ipu_dsl/runtime/counter.hpp>
#include <ipu_dsl/runtime/execution_table.hpp>
#include <ipu_dsl/runtime/trace.hpp>
#include <ipu_dsl/runtime/worker_pool.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Executes one program, run after run, on the workers of a pool.
class executor {
 public:
  executor(const program_plan_view& plan, std::span<const kernel_function> functions,
           const region_set& memory, worker_pool& workers)
      : table_(plan, functions, memory, workers.workers()),
        workers_(&workers),
        counters_(std::make_unique<counter[]>(table_.counts().size())) {}

  /// One run: all micro-batches, and the update if the program has one. What a worker throws ends
  /// the run on all of them and is thrown here; the counters then start anew.
  void run(const run_context& context) {
    context_ = context;
    failure_ = nullptr;
    stop_.store(false, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    if (trace_.enabled()) {
      trace_.begin_run();
    }
    if (poison_) {
      // Nothing in a slot outlives a run: what another program left there is not for this one.
      poison(table_.edges());
    }
    workers_->run(
        {[](void* self, int worker) { static_cast<executor*>(self)->work(worker); }, this});
    ++runs_;
    if (failure_ != nullptr) {
      restart_counters();
      std::rethrow_exception(failure_);
    }
  }

  /// Keeps what every run does from now on.
  void enable_trace() { trace_.enable(workers_->workers(), table_.plan().actions.actions.size()); }

  const trace& last_trace() const { return trace_; }

  /// Fills every slot with NaN before a run, and again as soon as nothing may read it any more, to
  /// find what reads a slot that is not yet written or that is free.
  void poison_freed_slots(bool poison) { poison_ = poison; }

  const program_plan_view& plan() const { return table_.plan(); }

 private:
  void work(int worker) {
    run_context context = context_;
    try {
      for (const execution_step& step : table_.row(worker)) {
        if (!wait_for_turn(step)) {
          return;
        }
        perform(step, worker, context);
        post(counters_[static_cast<std::size_t>(step.counter)]);
      }
    } catch (...) {
      if (!failed_.exchange(true)) {
        failure_ = std::current_exception();
      }
      stop_.store(true, std::memory_order_relaxed);
    }
  }

  /// Waits for what other devices have to have done, in this run or the one before.
  bool wait_for_turn(const execution_step& step) {
    for (const wait& awaited : table_.waits(step)) {
      const auto index = static_cast<std::size_t>(awaited.counter);
      const auto count = static_cast<std::uint32_t>(table_.counts()[index]);
      const std::uint32_t wanted = runs_ * count + static_cast<std::uint32_t>(awaited.position) + 1;
      if (!wait_for(counters_[index], wanted, stop_)) {
        return false;
      }
    }
    return true;
  }

  void perform(const execution_step& step, int worker, run_context& context) {
    const std::int64_t start = trace_.enabled() ? trace_.now() : 0;
    context.micro_batch = step.what.micro_batch;
    context.continues = step.order > 0;
    context.first_sample =
        context_.first_sample +
        static_cast<std::uint64_t>(step.what.micro_batch) * context_.micro_batch_size;
    if (poison_) {
      poison(table_.taken(step));
    }
    for (const resolved_call& row : table_.calls(step)) {
      perform(row, context);
      // Behind the end of the data there is nothing to compute.
      if (!context.training && context.valid_samples() == 0) {
        break;
      }
    }
    if (poison_) {
      poison(table_.freed(step));
    }
    if (trace_.enabled()) {
      trace_.record({worker, step.device, step.what, start, trace_.now()});
    }
  }

  static void poison(std::span<const freed_slot> slots) {
    for (const freed_slot& slot : slots) {
      // All bits set is a NaN, and as a label a class that there is not.
      std::memset(slot.memory, 0xFF, static_cast<std::size_t>(slot.bytes));
    }
  }

  void perform(const resolved_call& row, run_context& context) {
    void* operands[execution_table::most_operands];
    for (std::int32_t i = 0; i < row.operands; ++i) {
      operands[i] = table_.address(row.first_operand + i, context.micro_batch);
    }
    context.node = row.node;
    row.run(context, operands, row.scalars);
  }

  void restart_counters() {
    runs_ = 0;
    for (std::size_t i = 0; i < table_.counts().size(); ++i) {
      counters_[i].completed.store(0, std::memory_order_relaxed);
    }
  }

  execution_table table_;
  worker_pool* workers_;
  std::unique_ptr<counter[]> counters_;
  run_context context_;
  trace trace_;
  std::uint32_t runs_ = 0;
  bool poison_ = false;
  stop_word stop_{false};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
