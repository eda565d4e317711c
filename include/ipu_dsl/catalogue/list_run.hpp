// SPDX-License-Identifier: MIT
// One greedy run of list scheduling: every device decides what to do next when it is free.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/catalogue/list_task.hpp>
#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

namespace list_scheduling {

/// One simulated run. It ends early, without a result, when it is clear that it will not end before
/// `limit`. Tables are read through raw pointers, which costs a third of the steps of constant
/// evaluation; a run can be moved, because lists keep their elements in place when they are.
class run {
 public:
  constexpr run(const task& work, int bound, policy how, std::int64_t limit = never)
      : work_(&work),
        costs_(work.graph.costs.data()),
        wait_begin_(work.wait_begin.data()),
        waits_(work.waits.data()),
        stages_(work.stages_of_devices.data()),
        bound_(bound),
        how_(how),
        limit_(limit),
        left_(3 * work.stages * work.micro_batches) {
    const std::size_t rows = static_cast<std::size_t>(2 * work.stages);
    end_list_.resize(rows * static_cast<std::size_t>(work.micro_batches), never);
    done_list_.resize(rows, 0);
    order_list_.resize(left_);
    ends_ = end_list_.data();
    done_ = done_list_.data();
    order_ = order_list_.data();
    for (int device = 0; device < work.devices; ++device) {
      add_device(device);
    }
    devices_ = device_list_.data();
    while (left_ > 0 && advance()) {
    }
  }

  run(const run&) = delete;
  run& operator=(const run&) = delete;
  constexpr run(run&&) noexcept = default;
  constexpr run& operator=(run&&) noexcept = default;
  constexpr ~run() = default;

  /// The end of the last action, updates included; `never` if there is no result.
  constexpr std::int64_t makespan() const {
    std::int64_t last = left_ == 0 ? 0 : never;
    for (int device = 0; device < work_->devices; ++device) {
      // What is left to do are the updates.
      const std::int64_t end = devices_[device].free_at + devices_[device].work_left;
      last = last < end ? end : last;
    }
    return last;
  }

  /// The rows in the order of the run.
  constexpr program rows() const {
    program made(work_->devices, work_->device_of_stage, work_->micro_batches);
    made.actions.reserve(order_list_.size() + static_cast<std::size_t>(work_->stages));
    const action* next = order_;
    for (int device = 0; device < work_->devices; ++device) {
      const device_state& state = devices_[device];
      const int actions = 3 * work_->micro_batches * (state.stages_end - state.stages_begin);
      const action* const row_end = next + actions;
      for (; next != row_end; ++next) {
        made.actions.push_back(*next);
      }
      for (int i = state.stages_begin; i < state.stages_end; ++i) {
        made.put(action_kind::update, stages_[i], 0);
      }
      made.end_row();
    }
    return made;
  }

 private:
  constexpr void add_device(int device) {
    device_state state;
    state.stages_begin = work_->stage_begin.data()[device];
    state.stages_end = work_->stage_begin.data()[device + 1];
    state.room = bound_ * (state.stages_end - state.stages_begin);
    state.written = 3 * work_->micro_batches * state.stages_begin;
    state.oldest = state.written;
    for (int i = state.stages_begin; i < state.stages_end; ++i) {
      const stage_cost& cost = costs_[stages_[i]];
      const std::int64_t each = cost.forward + cost.input_gradient + cost.weight_gradient;
      state.work_left += work_->micro_batches * each + cost.update;
    }
    device_list_.push_back(state);
  }

  /// The device that is free first does something or falls asleep. False if all are asleep, or if
  /// the device will not end before the limit.
  constexpr bool advance() {
    int first = 0;
    for (int device = 1; device < work_->devices; ++device) {
      first = devices_[device].awake_at < devices_[first].awake_at ? device : first;
    }
    device_state& state = devices_[first];
    if (state.awake_at == never || state.awake_at + state.work_left >= limit_) {
      return false;
    }
    const choice next = how_.alternate ? alternate(state) : decide(state);
    state.idle = next.part < 0;
    if (state.idle) {
      state.awake_at = next.time;
    } else {
      execute(state, next);
    }
    return true;
  }

  constexpr void execute(device_state& state, const choice& next) {
    constexpr action_kind kinds[3] = {action_kind::forward, action_kind::input_gradient,
                                      action_kind::weight_gradient};
    const std::int64_t time = costs_[next.stage].of(kinds[next.part]);
    state.awake_at += time;
    state.free_at = state.awake_at;
    state.work_left -= time;
    --left_;
    action what = {kinds[next.part], next.stage, 0};
    if (next.part == 2) {
      what.micro_batch = order_[state.oldest].micro_batch;
      ++state.oldest;
      ++state.room;
    } else {
      const int row = 2 * next.stage + next.part;
      what.micro_batch = done_[row]++;
      ends_[row * work_->micro_batches + what.micro_batch] = state.awake_at;
      state.room -= next.part == 0 ? 1 : 0;
      wake_readers(row, state.awake_at);
    }
    order_[state.written] = what;
    ++state.written;
  }

  /// Something new arrives: those of its readers that are idle look again.
  constexpr void wake_readers(int row, std::int64_t end) {
    const reader* const readers = work_->readers.data();
    const int* const begin = work_->reader_begin.data() + row;
    for (int i = begin[0]; i < begin[1]; ++i) {
      device_state& state = devices_[readers[i].device];
      const std::int64_t arrival = end + readers[i].delay;
      if (state.idle && arrival < state.awake_at) {
        state.awake_at = arrival;
      }
    }
  }

  /// When everything is there that the next micro-batch of a row waits for, or `never` if that is
  /// not known yet.
  constexpr std::int64_t arrival(int row) const {
    const int micro_batch = done_[row];
    if (micro_batch == work_->micro_batches) {
      return never;
    }
    std::int64_t latest = 0;
    const int wait_end = wait_begin_[row + 1];
    for (int i = wait_begin_[row]; i < wait_end; ++i) {
      const std::int64_t end = ends_[waits_[i].row * work_->micro_batches + micro_batch];
      if (end == never) {
        return never;
      }
      const std::int64_t there = end + waits_[i].delay;
      latest = latest < there ? there : latest;
    }
    return latest;
  }

  /// The forward that a device could do first, of those that its memory admits; of equal ones that
  /// of the latest stage. Each stage leaves room for the later ones of its device, without which a
  /// device full of early stages would wait forever.
  constexpr choice next_forward(const device_state& state) const {
    choice best;
    const int needed = state.stages_end - state.room;
    for (int i = state.stages_end - 1; i >= state.stages_begin && i >= needed; --i) {
      const int stage = stages_[i];
      const int in_flight = done_[2 * stage] - done_[2 * stage + 1];
      if (!how_.lean || in_flight < work_->stages - stage) {
        consider(best, 0, stage, state.awake_at);
      }
    }
    return best;
  }

  /// The same for input gradients; of equal ones that of the latest stage.
  constexpr choice next_gradient(const device_state& state) const {
    choice best;
    for (int i = state.stages_end - 1; i >= state.stages_begin; --i) {
      consider(best, 1, stages_[i], state.awake_at);
    }
    return best;
  }

  constexpr void consider(choice& best, int part, int stage, std::int64_t now) const {
    const std::int64_t there = arrival(2 * stage + part);
    const std::int64_t time = there < now ? now : there;
    if (time < best.time) {
      best = {part, stage, time};
    }
  }

  /// The weight gradient that has waited longest.
  constexpr choice next_weight_gradient(device_state& state) const {
    while (state.oldest < state.written &&
           order_[state.oldest].kind != action_kind::input_gradient) {
      ++state.oldest;
    }
    choice next;
    if (state.oldest < state.written) {
      next = {2, order_[state.oldest].stage, state.awake_at};
    }
    return next;
  }

  constexpr choice decide(device_state& state) const {
    const std::int64_t now = state.awake_at;
    const choice gradient = next_gradient(state);
    if (gradient.time <= now && !how_.forward_first) {
      return gradient;
    }
    const choice forward = next_forward(state);
    if (forward.time <= now) {
      const bool in_time = now + costs_[forward.stage].forward <= gradient.time;
      if (gradient.time <= now || !how_.careful || in_time) {
        return forward;
      }
    } else if (gradient.time <= now) {
      return gradient;
    }
    // A forward that is ready but left waits for the gradient.
    const bool forward_next = forward.time > now && forward.time < gradient.time;
    const std::int64_t next = forward_next ? forward.time : gradient.time;
    const choice spare = next_weight_gradient(state);
    const bool fits = !how_.careful || now + costs_[spare.stage].weight_gradient <= next;
    return spare.part == 2 && fits ? spare : choice{-1, 0, next};
  }

  /// The next action in the order of 1F1B, with each weight gradient behind its input gradient.
  constexpr choice alternate(device_state& state) const {
    const choice spare = next_weight_gradient(state);
    if (spare.part == 2) {
      return spare;
    }
    const int stage = stages_[state.stages_begin];
    const int forwards = done_[2 * stage];
    const int depth = bound_ < work_->stages - stage ? bound_ : work_->stages - stage;
    const bool more = forwards < work_->micro_batches;
    choice next;
    const int part = more && forwards - done_[2 * stage + 1] < depth ? 0 : 1;
    consider(next, part, stage, state.awake_at);
    return next.time <= state.awake_at ? next : choice{-1, 0, next.time};
  }

  const task* work_;
  const stage_cost* costs_;
  const int* wait_begin_;
  const wait* waits_;
  const int* stages_;  // of devices
  int bound_;
  policy how_;
  std::int64_t limit_;
  int left_;  // actions to do
  list<std::int64_t> end_list_;
  list<int> done_list_;
  list<action> order_list_;
  list<device_state> device_list_;
  std::int64_t* ends_ = nullptr;     // [2 x stages x micro-batches]
  int* done_ = nullptr;              // [2 x stages] micro-batches
  action* order_ = nullptr;          // [3 x stages x micro-batches], device after device
  device_state* devices_ = nullptr;  // [devices]
};

}  // namespace list_scheduling

}  // namespace ipu_dsl
