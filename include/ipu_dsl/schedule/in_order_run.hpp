// SPDX-License-Identifier: MIT
// One run of a program in the order of its rows: the machine under the proof, the timeline and the
// search for slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/dependences.hpp>

namespace ipu_dsl {

/// What each kind of action of each stage takes: [stages x action_kinds].
constexpr list<std::int64_t> durations(const stage_graph_view& graph) {
  list<std::int64_t> duration;
  for (const stage_cost& cost : graph.costs) {
    for (int kind = 0; kind < action_kinds; ++kind) {
      duration.push_back(cost.of(static_cast<action_kind>(kind)));
    }
  }
  return duration;
}

/// What a run reads. All of it must outlive the run.
struct run_input {
  const program_view& rows;
  const step_table& steps;
  const dependences& waits;
  std::span<const int> slots;              ///< [edges], each at least 1
  std::span<const std::int64_t> duration;  ///< [stages x action_kinds]
};

/// Devices that execute their rows in order and wait for data and for free slots form a Kahn
/// network: whether they get stuck does not depend on timing, so that one run speaks for all.
/// Each action starts as soon as its device and what it waits for allow.
///
/// The k-th write of an edge with d slots waits until the readers of the (k - d)-th are done.
/// Inside, clocks start at 1 and actions are counted from 1, so that 0 means "not yet" and "none".
/// Members are raw pointers where the loops of constant evaluation are: an index through them is
/// one step, an index through a list is three.
class in_order_run {
 public:
  constexpr explicit in_order_run(const run_input& input)
      : actions_(input.rows.actions.data()),
        row_begin_(input.rows.row_begin.data()),
        by_micro_batch_(input.steps.by_micro_batch.data()),
        by_order_(input.steps.by_order.data()),
        place_(input.steps.place.data()),
        read_(input.waits.read),
        written_(input.waits.written),
        freed_(input.waits.freed),
        slots_(input.slots.data()),
        duration_(input.duration.data()),
        devices_(input.rows.devices),
        action_count_(static_cast<int>(input.rows.actions.size())),
        micro_batches_(input.rows.micro_batches) {
    const std::size_t devices = static_cast<std::size_t>(devices_);
    const std::size_t actions = input.rows.actions.size() + 1;
    // Reserving zeroes; elements are written by index.
    start_.reserve(actions);
    finish_.reserve(actions);
    order_.reserve(actions);
    first_sleeper_.reserve(actions);
    next_sleeper_.reserve(devices + 1);
    waited_for_.reserve(devices);
    finish_at_ = finish_.data();
    finish_at_[0] = 1;
    for (std::size_t device = 0; device < devices; ++device) {
      cursor_.push_back(row_begin_[device]);
      free_at_.push_back(1);
      awake_.push_back(static_cast<int>(devices - 1 - device));
    }
  }

  in_order_run(const in_order_run&) = delete;
  in_order_run& operator=(const in_order_run&) = delete;

  /// From now on the actions of this role row run only when `release` lets one through.
  constexpr void hold(int role_row) { held_row_ = role_row; }

  /// The index of the action that is held and next in the row of its device, or -1.
  constexpr int held_action() const { return held_action_; }

  /// Lets the held action run when what it waits for is done.
  constexpr void release() {
    released_action_ = held_action_;
    held_action_ = -1;
    awake_.push_back(held_device_);
  }

  /// Runs until nothing can run any more.
  constexpr void advance() {
    while (!awake_.empty()) {
      const int device = awake_.back();
      awake_.resize(awake_.size() - 1);
      advance(device);
    }
  }

  constexpr bool complete() const { return ran_ == action_count_; }

  constexpr bool ran(int index) const { return finish_at_[index + 1] != 0; }

  /// When an action started and ended; the clock starts at 0.
  constexpr std::int64_t start(int index) const { return start_.data()[index + 1] - 1; }

  constexpr std::int64_t end(int index) const { return finish_at_[index + 1] - 1; }

  /// The index of the action that ran as number `i`: an order that suits one worker.
  constexpr int order(int i) const { return order_.data()[i]; }

  /// The end of the last action.
  constexpr std::int64_t makespan() const {
    std::int64_t last = 1;
    for (const std::int64_t time : free_at_) {
      last = last < time ? time : last;
    }
    return last - 1;
  }

  /// The index of the action that a device would run next.
  constexpr int cursor(int device) const { return cursor_.data()[device]; }

  /// The index of the action that a stuck device waits for.
  constexpr int waited_for(int device) const { return waited_for_.data()[device]; }

  /// The edge whose slot the next action of a stuck device waits for, or -1 if it waits for data.
  constexpr int blocking_edge(int device) const {
    const int index = cursor(device);
    const int row = first_row(actions_[index]);
    if (data_ready_at(actions_[index], row) < 0) {
      return -1;
    }
    for (int k = written_.first[row]; k != 0; k = written_.next[k]) {
      if (slot_free_at(written_.value[k], row, index) < 0) {
        return written_.value[k];
      }
    }
    return -1;
  }

 private:
  /// The arrays of `keyed_lists`.
  struct chains {
    const int* first;
    const int* next;
    const int* value;

    constexpr explicit chains(const keyed_lists& lists)
        : first(lists.first.data()), next(lists.next.data()), value(lists.value.data()) {}
  };

  /// The role row in which an action writes; -1 for an update, which waits for its row alone.
  static constexpr int first_row(const action& what) {
    constexpr int role[action_kinds] = {0, 2, 2, 3, 1, -1};
    const int of_kind = role[static_cast<int>(what.kind)];
    return of_kind < 0 ? -1 : what.stage * step_roles + of_kind;
  }

  constexpr void advance(int device) {
    const int row_end = row_begin_[device + 1];
    int index = cursor_.data()[device];
    for (; index < row_end; ++index) {
      const action& what = actions_[index];
      const int row = first_row(what);
      std::int64_t ready = 1;
      if (row >= 0) {
        if (row == held_row_ && index != released_action_) {
          held_action_ = index;
          held_device_ = device;
          break;
        }
        ready = ready_at(what, row, index);
      }
      if (ready < 0) {
        sleep(device, static_cast<int>(-ready));
        break;
      }
      run(device, index, ready);
    }
    cursor_.data()[device] = index;
  }

  constexpr void run(int device, int index, std::int64_t ready) {
    std::int64_t& free_at = free_at_.data()[device];
    const std::int64_t begin = free_at < ready ? ready : free_at;
    const action& what = actions_[index];
    free_at = begin + duration_[what.stage * action_kinds + static_cast<int>(what.kind)];
    start_.data()[index + 1] = begin;
    finish_at_[index + 1] = free_at;
    order_.data()[ran_] = index;
    ++ran_;
    for (int sleeper = first_sleeper_.data()[index + 1]; sleeper != 0;
         sleeper = next_sleeper_.data()[sleeper]) {
      awake_.push_back(sleeper - 1);
    }
  }

  constexpr void sleep(int device, int action_number) {
    int& first = first_sleeper_.data()[action_number];
    next_sleeper_.data()[device + 1] = first;
    first = device + 1;
    waited_for_.data()[device] = action_number - 1;
  }

  /// When what an action waits for is done; minus an action (counted from 1) that has not run.
  constexpr std::int64_t ready_at(const action& what, int row, int index) const {
    std::int64_t ready = data_ready_at(what, row);
    for (int k = written_.first[row]; ready > 0 && k != 0; k = written_.next[k]) {
      const std::int64_t free_at = slot_free_at(written_.value[k], row, index);
      ready = free_at < 0 || ready < free_at ? free_at : ready;
    }
    return ready;
  }

  /// When the data that an action reads is there. A whole backward reads as both of its halves.
  constexpr std::int64_t data_ready_at(const action& what, int row) const {
    std::int64_t ready = 1;
    const int last_row = what.kind == action_kind::backward ? row + 1 : row;
    for (int reading = row; reading <= last_row; ++reading) {
      for (int k = read_.first[reading]; k != 0; k = read_.next[k]) {
        const int writer = by_micro_batch_[read_.value[k] * micro_batches_ + what.micro_batch];
        const std::int64_t done = finish_at_[writer];
        if (done == 0) {
          return -writer;
        }
        ready = ready < done ? done : ready;
      }
    }
    return ready;
  }

  /// When the slot that the action at `index` writes has been read by its previous tenant's readers.
  constexpr std::int64_t slot_free_at(int link, int row, int index) const {
    const int back = place_[index] - slots_[link];
    if (back < 0) {
      return 1;
    }
    const int tenant = actions_[by_order_[row * micro_batches_ + back] - 1].micro_batch;
    std::int64_t ready = 1;
    for (int k = freed_.first[link]; k != 0; k = freed_.next[k]) {
      const int reader = by_micro_batch_[freed_.value[k] * micro_batches_ + tenant];
      const std::int64_t done = finish_at_[reader];
      if (done == 0) {
        return -reader;
      }
      ready = ready < done ? done : ready;
    }
    return ready;
  }

  const action* actions_;
  const int* row_begin_;
  const int* by_micro_batch_;
  const int* by_order_;
  const int* place_;
  chains read_;
  chains written_;
  chains freed_;
  const int* slots_;
  const std::int64_t* duration_;
  int devices_;
  int action_count_;
  int micro_batches_;

  list<std::int64_t> start_;
  list<std::int64_t> finish_;
  std::int64_t* finish_at_ = nullptr;
  list<int> order_;
  list<int> first_sleeper_;
  list<int> next_sleeper_;
  list<int> waited_for_;
  list<int> cursor_;
  list<std::int64_t> free_at_;
  list<int> awake_;
  int ran_ = 0;
  int held_row_ = -1;
  int held_device_ = -1;
  int held_action_ = -1;
  int released_action_ = -1;
};

}  // namespace ipu_dsl
