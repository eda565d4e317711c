// SPDX-License-Identifier: MIT
// Runs a planned program: every worker walks its row, waits, calls, counts. Nothing is decided
// here.
// Over 300 lines: one loop, and who waits where in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/runtime/counter.hpp>
#include <ipu_dsl/runtime/execution_table.hpp>
#include <ipu_dsl/runtime/host_clock.hpp>
#include <ipu_dsl/runtime/trace.hpp>
#include <ipu_dsl/runtime/worker_pool.hpp>

namespace ipu_dsl {

/// What of a training program is run: all of it, or in two runs first all that makes gradients,
/// then the update.
enum class run_part : std::uint8_t { whole, gradients, update };

/// Executes one program, run after run, on the workers of a pool.
class executor {
 public:
  /// With replicas, each takes its micro-batches from the feed in turn, and all update together.
  /// Workers of one device share calls of at least `shared_from` operations.
  executor(const program_plan_view& plan, list_view<kernel_code> functions,
           const region_set& memory, worker_pool& workers, int replicas = 1,
           std::int64_t shared_from = 0)
      : table_(plan, functions, memory, workers.workers(), replicas, shared_from),
        workers_(&workers),
        counters_(table_.counts().size() + 1 + static_cast<std::size_t>(table_.teams().workers())),
        fed_(&counters_[table_.counts().size()]),
        met_(fed_ + 1) {}

  /// One run: all micro-batches, and the update if the program has one. What a worker throws ends
  /// the run on all of them and is thrown here; the counters then start anew.
  void run(const run_context& context, run_part part = run_part::whole) {
    context_ = context;
    part_ = part;
    context_.stop = {&stop_, [](const void* asked) {
                       return static_cast<const stop_word*>(asked)->load(std::memory_order_seq_cst);
                     }};
    table_.tell_values(context.values);
    failure_ = nullptr;
    stop_.store(false, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    if (trace_.enabled()) {
      trace_.begin_run();
      clock_.restart();
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
  [[gnu::cold]] void enable_trace() {
    const auto replicas = static_cast<std::size_t>(table_.replicas());
    trace_.enable(workers_->workers(), replicas * table_.plan().actions.actions.size());
  }

  const trace& last_trace() const { return trace_; }

  /// Fills every slot with NaN before a run, and again as soon as nothing may read it any more, to
  /// find what reads a slot that is not yet written or that is free.
  void poison_freed_slots(bool poison) { poison_ = poison; }

  const program_plan_view& plan() const { return table_.plan(); }

 private:
  /// Where a worker is in its row.
  struct progress {
    run_context context;
    bool met = false;  ///< all of its team are here, and nobody has done anything alone since
  };

  void work(int worker) {
    const worker_place place = table_.teams().place_of(worker);
    if (place.row < 0) {
      return;
    }
    progress now;
    try {
      for (const execution_step& step : table_.row(place.row)) {
        if (!(place.member == 0 ? lead(step, worker, now) : perform(step, worker, now))) {
          return;
        }
      }
    } catch (...) {
      if (!failed_.exchange(true)) {
        failure_ = std::current_exception();
      }
      stop_waiting(stop_, counters_.data(), counters_.size());
      if (context_.feed != nullptr) {
        context_.feed->wake();
      }
    }
  }

  /// The step of whoever waits and counts for its team. False if the run is to stop, here and
  /// below.
  bool lead(const execution_step& step, int worker, progress& now) {
    if (!wait_for_turn(step)) {
      return false;
    }
    const std::int64_t start = trace_.enabled() ? clock_.now() : 0;
    if (poison_) {
      poison(table_.taken(step));
    }
    if (!perform(step, worker, now)) {
      return false;
    }
    if (poison_) {
      poison(table_.freed(step));
    }
    if (trace_.enabled()) {
      trace_.record({worker, step.device, step.what, start, clock_.now()});
    }
    post(counters_[step.counter]);
    return true;
  }

  /// Waits for what other devices have to have done, in this run or the one before.
  bool wait_for_turn(const execution_step& step) {
    for (const awaited_count& awaited : table_.waits(step)) {
      const auto count = static_cast<std::uint32_t>(table_.counts()[awaited.counter]);
      const std::uint32_t wanted = runs_ * count + static_cast<std::uint32_t>(awaited.position) + 1;
      if (!wait_for(counters_[awaited.counter], wanted, stop_, workers_->waiting())) {
        return false;
      }
    }
    return true;
  }

  /// The calls of a step. Members of a team begin and end together those that they share; the
  /// others are their leader's.
  bool perform(const execution_step& step, int worker, progress& now) {
    // In place: one that is returned is written field by field and read again as a whole, for which
    // the processor waits.
    now.context = context_;
    tell(now.context, step, table_.replicas());
    run_context& context = now.context;
    const int member = table_.teams().place_of(worker).member;
    const grain part = part_of(step, member);
    if (is_left_out(step)) {
      return leave_out(step, member, now);
    }
    // The leader waits, and prepares slots, for all of them.
    now.met = now.met && table_.waits(step).empty() && !poison_;
    for (const resolved_call& row : table_.calls(step)) {
      if (is_alone(row, step)) {
        now.met = false;
        if (member == 0 && !perform_alone(row, step, context)) {
          return false;
        }
      } else if (!share(row, step, part, worker, now)) {
        return false;
      }
      if (!context.training && !come_together(worker, now)) {
        return false;
      }
      // Behind the end of the data there is nothing to compute.
      if (!context.training && context.valid_samples() == 0) {
        break;
      }
    }
    return true;
  }

  /// Whether a step is of the other part of the program.
  bool is_left_out(const execution_step& step) const {
    const bool updates = step.what.kind == action_kind::update;
    return part_ != run_part::whole && updates != (part_ == run_part::update);
  }

  /// It is counted as if it had been done, so that the next run waits for the same numbers.
  bool leave_out(const execution_step& step, int member, progress& now) {
    now.met = false;
    for (const resolved_call& row : table_.calls(step)) {
      if (row.feeds && member == 0) {
        post(*fed_);
      }
    }
    return true;
  }

  bool come_together(int worker, progress& now) {
    now.met = now.met || meet(worker);
    return now.met;
  }

  /// A call of which every member of a team does a part, between two meetings; of a call of several
  /// steps there is one behind each.
  bool share(const resolved_call& row, const execution_step& step, const grain& part, int worker,
             progress& now) {
    if (!come_together(worker, now)) {
      return false;
    }
    now.context.part = part;
    for (std::int32_t i = 0; i < row.steps && now.met; ++i) {
      now.context.step = i;
      perform(row, step.what.micro_batch, now.context);
      now.met = meet(worker);
    }
    return now.met;
  }

  /// Whether a call is its leader's alone. An update that replicas share is everybody's.
  static bool is_alone(const resolved_call& row, const execution_step& step) {
    return !row.in_grains || (row.too_small && !step.shared);
  }

  /// A call that is done by one worker.
  bool perform_alone(const resolved_call& row, const execution_step& step, run_context& context) {
    if (row.feeds && !wait_for_feed(context)) {
      return false;
    }
    context.part = {};
    for (std::int32_t i = 0; i < row.steps; ++i) {
      context.step = i;
      perform(row, step.what.micro_batch, context);
    }
    if (row.feeds) {
      post(*fed_);
    }
    return true;
  }

  /// What a member of a team does of a call: with others of the team, and of an update also with
  /// those of the other replicas.
  grain part_of(const execution_step& step, int member) const {
    const int members = table_.teams().members();
    if (!step.shared) {
      return {member, members};
    }
    return {step.replica * members + member, table_.replicas() * members};
  }

  /// Until all members of the worker's team are here.
  bool meet(int worker) {
    const worker_teams& teams = table_.teams();
    if (teams.members() == 1) {
      return true;
    }
    const int first = teams.place_of(worker).row * teams.members();
    const std::uint32_t meeting = met_[worker].completed.load(std::memory_order_relaxed) + 1;
    post(met_[worker]);
    for (int other = first; other < first + teams.members(); ++other) {
      if (!wait_for(met_[other], meeting, stop_, workers_->waiting())) {
        return false;
      }
    }
    return true;
  }

  /// Until the micro-batches before this one, of all replicas, have been fed.
  bool wait_for_feed(const run_context& context) {
    const int replicas = table_.replicas();
    if (replicas == 1) {
      return true;
    }
    const auto count = static_cast<std::uint32_t>(replicas * table_.plan().actions.micro_batches);
    const std::uint32_t wanted = runs_ * count + static_cast<std::uint32_t>(context.micro_batch);
    return wait_for(*fed_, wanted, stop_, workers_->waiting());
  }

  static void poison(list_view<freed_slot> slots) {
    for (const freed_slot& slot : slots) {
      // All bits set is a NaN, and as a label a class that there is not.
      std::memset(slot.memory, 0xFF, static_cast<std::size_t>(slot.bytes));
    }
  }

  void perform(const resolved_call& row, std::int32_t micro_batch, run_context& context) {
    void* operands[execution_table::most_operands];
    for (std::int32_t i = 0; i < row.operands; ++i) {
      operands[i] = table_.address(row.first_operand + i, micro_batch);
    }
    tell(context, row, context_.loss_scale);
    row.run(context, operands, row.scalars);
  }

  void restart_counters() {
    runs_ = 0;
    for (counter& each : counters_) {
      each.completed.store(0, std::memory_order_relaxed);
    }
  }

  execution_table table_;
  worker_pool* workers_;
  list<counter> counters_;  ///< of actions, then `fed_`, then `met_`
  counter* fed_;            ///< micro-batches that the feed has given
  counter* met_;            ///< [workers] meetings of a team that a member has come to
  run_context context_;
  run_part part_ = run_part::whole;
  trace trace_;
  host_clock clock_;
  std::uint32_t runs_ = 0;
  bool poison_ = false;
  stop_word stop_{false};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

}  // namespace ipu_dsl
