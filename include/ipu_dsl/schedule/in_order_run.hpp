// SPDX-License-Identifier: MIT
// One run of a program in the order of its rows: the machine under the proof, the timeline and the
// search for slots.
// Over 300 lines: one simulation, whose steps share their state.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/run_input.hpp>
#include <ipu_dsl/schedule/run_state.hpp>

namespace ipu_dsl {

/// Devices that execute their rows in order and wait for data and for free slots form a Kahn
/// network: whether they get stuck does not depend on timing, so that one run speaks for all.
/// Each action starts as soon as its device and what it waits for allow.
///
/// The k-th write of an edge with d slots waits until the readers of the (k - d)-th are done. Data
/// takes a hop from one device to another. Joined actions start when all of them can, and what they
/// write is there when the last of them ends. The update of a copy of the weights waits for the
/// backwards of all copies.
/// Inside, clocks start at 1 and actions are counted from 1, so that 0 means "not yet" and "none".
/// Members are raw pointers: an index costs one step of constant evaluation, through a list three.
class in_order_run {
 public:
  static constexpr int unlimited = 1 << 30;

  /// A run from the first action on.
  constexpr explicit in_order_run(const run_input& input) : in_order_run(input, run_state()) {}

  /// A run from a state on, which it takes further and which must outlive it; a run of its own from
  /// the first action if there is none.
  constexpr in_order_run(const run_input& input, const run_state& state)
      : actions_(input.rows.actions.data()),
        row_begin_(input.rows.row_begin.data()),
        by_micro_batch_(input.steps.by_micro_batch.data()),
        by_order_(input.steps.by_order.data()),
        place_(input.steps.place.data()),
        read_(input.waits.read),
        read_delay_(input.waits.read_delay.data()),
        written_(input.waits.written),
        freed_(input.waits.freed),
        slots_(input.slots.data()),
        duration_(input.duration.data()),
        devices_(input.rows.devices),
        action_count_(static_cast<int>(input.rows.actions.size())),
        stages_(input.rows.stages),
        micro_batches_(input.rows.micro_batches),
        copies_(input.rows.weights.copies),
        update_interval_(input.rows.weights.update_interval),
        least_slots_(input.rows.micro_batches) {
    for (const int slots : input.slots) {
      least_slots_ = slots < least_slots_ ? slots : least_slots_;
    }
    const int devices = devices_ + 1;
    const int actions = action_count_ + 1;
    int* const numbers = reserve_zeros(numbers_, 2 * actions + 5 * devices);
    first_sleeper_ = numbers;
    next_sleeper_ = numbers + actions;
    waited_for_ = next_sleeper_ + devices;
    awake_ = waited_for_ + devices;
    stuck_ = awake_ + devices;
    run_state own = state;
    if (own.finish == nullptr) {
      std::int64_t* const times = reserve_zeros(times_, 2 * actions + devices);
      int* const cursors = stuck_ + devices;
      own = {times, times + actions, times + 2 * actions, cursors, cursors + devices};
      begin_run(own, input.rows);
    }
    finish_ = own.finish;
    start_ = own.start;
    free_at_ = own.free_at;
    cursor_ = own.cursor;
    for (int device = devices_ - 1; device >= 0; --device) {
      left_ += row_begin_[device + 1] - cursor_[device];
      wake(device);
    }
    order_ = own.order + (action_count_ - left_);
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
    wake(held_device_);
  }

  /// Runs until nothing can run any more, or until `most` actions have run since the run was made
  /// (a step of several counts as soon as it begins).
  constexpr void advance(int most = unlimited) {
    while (awake_count_ > 0 && ran_ < most) {
      --awake_count_;
      advance_device(awake_[awake_count_], most);
    }
  }

  constexpr bool complete() const { return ran_ == left_; }

  constexpr bool ran(int index) const { return finish_[index + 1] != 0; }

  /// When an action started and when what it writes was there; the clock starts at 0.
  constexpr std::int64_t start(int index) const { return start_[index + 1] - 1; }

  constexpr std::int64_t end(int index) const { return finish_[index + 1] - 1; }

  /// The same as arrays by action index + 1, on a clock that begins at 1; entry 0 of the ends is 1,
  /// for actions that do not exist.
  constexpr const std::int64_t* starts() const { return start_; }

  constexpr const std::int64_t* ends() const { return finish_; }

  /// The index of the action that ran as number `i` since the run was made: an order that suits one
  /// worker.
  constexpr int order(int i) const { return order_[i]; }

  /// The same as an array.
  constexpr const int* orders() const { return order_; }

  /// End of the last action.
  constexpr std::int64_t makespan() const {
    std::int64_t last = 1;
    for (int device = 0; device < devices_; ++device) {
      last = last < free_at_[device] ? free_at_[device] : last;
    }
    return last - 1;
  }

  /// The index of the action that a device would run next.
  constexpr int cursor(int device) const { return cursor_[device]; }

  /// The index of the action with which a device is stuck: that of its cursor, or one joined to it.
  constexpr int stuck(int device) const { return stuck_[device]; }

  /// The index of the action that a stuck device waits for.
  constexpr int waited_for(int device) const { return waited_for_[device]; }

 private:
  /// The arrays of `keyed_lists`.
  struct chains {
    const int* first;
    const int* next;
    const int* value;

    constexpr explicit chains(const keyed_lists& lists)
        : first(lists.first.data()), next(lists.next.data()), value(lists.value.data()) {}
  };

  constexpr void wake(int device) {
    awake_[awake_count_] = device;
    ++awake_count_;
  }

  /// A device waits with the action `index` for another (counted from 1); false, or true if there
  /// is none to wait for.
  constexpr bool sleep(int device, int index, int action_number) {
    if (action_number == 0) {
      return true;
    }
    next_sleeper_[device + 1] = first_sleeper_[action_number];
    first_sleeper_[action_number] = device + 1;
    waited_for_[device] = action_number - 1;
    stuck_[device] = index;
    return false;
  }

  /// Runs a device until it is through, waits, or is held. Written out in one function and in few
  /// statements: they are what a constant evaluation pays for.
  constexpr void advance_device(int device, int most) {
    const int row_end = row_begin_[device + 1];
    int index = cursor_[device];
    const int stop = row_end - index < most - ran_ ? row_end : index + most - ran_;
    for (; index < stop; ++index) {
      const action what = actions_[index];
      if (what.joined) {
        const int last = advance_joined(device, index, row_end);
        if (last < index) {
          break;
        }
        index = last;
        continue;
      }
      std::int64_t begin = free_at_[device];
      if (!ready(device, index, begin)) {
        break;
      }
      const std::int64_t end =
          begin + duration_[what.stage * action_kinds + static_cast<int>(what.kind)];
      start_[index + 1] = begin;
      finish_[index + 1] = end;
      free_at_[device] = end;
      order_[ran_++] = index;
      for (int sleeper = first_sleeper_[index + 1]; sleeper != 0;
           sleeper = next_sleeper_[sleeper]) {
        wake(sleeper - 1);
      }
    }
    cursor_[device] = index;
  }

  /// Runs an action and those joined to it if all can start; the index of the last, or -1. They
  /// follow each other on the device, and what they write is there when the last of them ends.
  constexpr int advance_joined(int device, int first, int row_end) {
    std::int64_t begin = free_at_[device];
    std::int64_t length = 0;
    int last = first;
    for (;; ++last) {
      if (!ready(device, last, begin)) {
        return -1;
      }
      length += duration_of(last);
      if (!actions_[last].joined || last + 1 == row_end) {
        break;
      }
    }
    free_at_[device] = begin + length;
    for (int part = first; part <= last; ++part) {
      start_[part + 1] = begin;
      begin += duration_of(part);
      finish_[part + 1] = free_at_[device];
      order_[ran_++] = part;
    }
    for (int part = first; part <= last; ++part) {
      for (int sleeper = first_sleeper_[part + 1]; sleeper != 0; sleeper = next_sleeper_[sleeper]) {
        wake(sleeper - 1);
      }
    }
    return last;
  }

  constexpr std::int64_t duration_of(int index) const {
    const action what = actions_[index];
    return duration_[what.stage * action_kinds + static_cast<int>(what.kind)];
  }

  /// Whether an action has all that it waits for; then `begin` is no earlier than that. If not, its
  /// device sleeps or is held.
  constexpr bool ready(int device, int index, std::int64_t& begin) {
    const action what = actions_[index];
    if (what.kind >= action_kind::update) {
      return copies_ == 1 || what.kind != action_kind::update ||
             sleep(device, index, find_missing_copy(what, begin));
    }
    const int row =
        what.stage * step_roles + static_cast<int>(first_role[static_cast<int>(what.kind)]);
    if (row == held_row_ && index != released_action_) {
      held_action_ = index;
      held_device_ = device;
      return false;
    }
    const int missing = find_missing(what, row, index, begin);
    return missing == 0 || sleep(device, index, missing);
  }

  /// A backward that an update takes from another copy of its weights and that has not ended
  /// (counted from 1), or 0; then `begin` is no earlier than the last of them.
  constexpr int find_missing_copy(const action& update, std::int64_t& begin) const {
    const int first = update.micro_batch * update_interval_;
    const int next = first + update_interval_;
    const int end = update_interval_ == 0 || next > micro_batches_ ? micro_batches_ : next;
    const int length = stages_ / copies_;
    for (int twin = update.stage % length; twin < stages_; twin += length) {
      const int row = role_row(twin, step_role::backward_end) * micro_batches_;
      for (int i = first; twin != update.stage && i < end; ++i) {
        const int reader = by_micro_batch_[row + i];
        if (finish_[reader] == 0) {
          return reader;
        }
        begin = begin < finish_[reader] ? finish_[reader] : begin;
      }
    }
    return 0;
  }

  /// Something the action waits for that has not run (counted from 1), or 0; then `begin` is no
  /// earlier than what it waits for.
  constexpr int find_missing(const action& what, int row, int index, std::int64_t& begin) const {
    const int last_row =
        what.stage * step_roles + static_cast<int>(last_role[static_cast<int>(what.kind)]);
    for (int reading = row; reading <= last_row; ++reading) {
      for (int k = read_.first[reading]; k != 0; k = read_.next[k]) {
        const int writer = by_micro_batch_[read_.value[k] * micro_batches_ + what.micro_batch];
        const std::int64_t written = finish_[writer];
        if (written == 0) {
          return writer;
        }
        begin = begin < written + read_delay_[k] ? written + read_delay_[k] : begin;
      }
    }
    // The first writes find slots that nobody has had, and with enough of them all do.
    for (int k = place_[index] < least_slots_ ? 0 : written_.first[row]; k != 0;
         k = written_.next[k]) {
      const int link = written_.value[k];
      const int back = place_[index] - slots_[link];
      for (int j = back < 0 ? 0 : freed_.first[link]; j != 0; j = freed_.next[j]) {
        const int tenant = by_order_[row * micro_batches_ + back];
        const int reader = by_micro_batch_[freed_.value[j] * micro_batches_ + tenant];
        if (finish_[reader] == 0) {
          return reader;
        }
        begin = begin < finish_[reader] ? finish_[reader] : begin;
      }
    }
    return 0;
  }

  const action* actions_;
  const int* row_begin_;
  const int* by_micro_batch_;
  const int* by_order_;
  const int* place_;
  chains read_;
  const std::int64_t* read_delay_;
  chains written_;
  chains freed_;
  const int* slots_;
  const std::int64_t* duration_;
  int devices_;
  int action_count_;
  int stages_;
  int micro_batches_;
  int copies_;
  int update_interval_;
  int least_slots_;

  list<std::int64_t> times_;
  list<int> numbers_;
  std::int64_t* finish_ = nullptr;   // [actions + 1]
  std::int64_t* start_ = nullptr;    // [actions + 1]
  std::int64_t* free_at_ = nullptr;  // [devices]
  int* order_ = nullptr;             // [actions]
  int* first_sleeper_ = nullptr;     // [actions + 1] device + 1
  int* next_sleeper_ = nullptr;      // [devices + 1] device + 1
  int* waited_for_ = nullptr;        // [devices]
  int* cursor_ = nullptr;            // [devices]
  int* awake_ = nullptr;             // [devices]
  int* stuck_ = nullptr;             // [devices] action index
  int awake_count_ = 0;
  int left_ = 0;  // actions that had not run when the run was made
  int ran_ = 0;   // since then
  int held_row_ = -1;
  int held_device_ = -1;
  int held_action_ = -1;
  int released_action_ = -1;
};

}  // namespace ipu_dsl
