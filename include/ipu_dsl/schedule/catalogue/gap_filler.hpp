// SPDX-License-Identifier: MIT
// Work pulled forward into the gaps of a schedule on a V of stages.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

namespace v_blocks {

/// Runs a program of input and weight gradients slot by slot and lets a device that would wait take
/// a later action of its row, as long as the peak stash of the program does not grow: rows of a
/// block are dense in the middle and leave gaps in the warm-up and the cool-down. A device without
/// forwards left does weight gradients only if it would wait, because other devices wait for its
/// input gradients.
class gap_filler {
 public:
  constexpr explicit gap_filler(const program& given)
      : given_(given), actions_(given.actions.data()), micro_batches_(given.micro_batches) {
    const std::size_t steps = static_cast<std::size_t>(2 * given.stages * micro_batches_);
    end_list_.resize(steps, never);
    taken_list_.resize(given.actions.size(), false);
    following_.resize(given.actions.size(), -1);
    ends_ = end_list_.data();
    taken_ = taken_list_.data();
    for (int device = 0; device < given.devices; ++device) {
      add_row(given.row_begin.data()[device], given.row_begin.data()[device + 1]);
    }
  }

  gap_filler(const gap_filler&) = delete;
  gap_filler& operator=(const gap_filler&) = delete;

  /// The program with its gaps filled; updates stay where they are.
  constexpr program filled() {
    program rows = given_;
    for (int left = 3 * given_.stages * micro_batches_; left > 0; ++slot_) {
      for (row_state& row : rows_) {
        const int index = choose(row);
        if (index >= 0) {
          rows.actions.data()[row.written] = actions_[index];
          take(row, index);
          --left;
        }
      }
    }
    return rows;
  }

 private:
  static constexpr int never = 1 << 29;
  static constexpr int keys = 6;

  /// Micro-batches ascend for each kind of work of each stage: where the first that has not been
  /// taken has to wait, so have the others. Keys: forwards, input gradients, weight gradients.
  struct row_state {
    int head = 0;         // the first action that has not been taken
    int written = 0;      // where the next one goes
    int stash = 0;        // forwards whose weight gradient is to come
    int next[keys] = {};  // by key, or -1
  };

  constexpr void add_row(int begin, int end) {
    row_state row = {begin, begin, 0, {-1, -1, -1, -1, -1, -1}};
    for (int index = end - 1; index >= begin; --index) {
      if (actions_[index].kind != action_kind::update) {
        int& next = row.next[key_of(actions_[index])];
        following_.data()[index] = next;
        next = index;
      }
    }
    rows_.push_back(row);
    int stash = 0;
    for (int index = begin; index < end; ++index) {
      stash += change_of_stash(actions_[index].kind);
      bound_ = bound_ < stash ? stash : bound_;
    }
  }

  constexpr int key_of(const action& what) const {
    const int leg = what.stage < given_.devices ? 0 : 1;
    return leg + (what.kind == action_kind::forward          ? 0
                  : what.kind == action_kind::input_gradient ? 2
                                                             : 4);
  }

  static constexpr int change_of_stash(action_kind kind) {
    return kind == action_kind::forward ? 1 : kind == action_kind::weight_gradient ? -1 : 0;
  }

  /// The index of the action that the device does in this slot, or -1.
  constexpr int choose(const row_state& row) const {
    const bool cool_down = row.next[0] < 0 && row.next[1] < 0;
    // Mostly it is the action whose turn it is.
    if (!cool_down && row.stash < bound_ && is_ready(actions_[row.head])) {
      return row.head;
    }
    int first = never;
    int spare = never;
    for (int key = 0; key < keys; ++key) {
      const int index = row.next[key];
      if (index < 0 || index > first || !is_ready(actions_[index])) {
        continue;
      }
      if (key >= 4 && cool_down) {
        spare = index < spare ? index : spare;
      } else if (key >= 2 || admits(row, index)) {
        first = index;
      }
    }
    const int chosen = first < never ? first : spare;
    return chosen < never ? chosen : -1;
  }

  /// Whether the stash stays below the peak, and thus at most reaches it, if a forward is taken
  /// before what stands in front of it.
  constexpr bool admits(const row_state& row, int forward) const {
    int stash = row.stash;
    for (int index = row.head; index < forward && stash < bound_; ++index) {
      stash += taken_[index] ? 0 : change_of_stash(actions_[index].kind);
    }
    return stash < bound_;
  }

  constexpr void take(row_state& row, int index) {
    const action& what = actions_[index];
    const int key = key_of(what);
    taken_[index] = true;
    row.next[key] = following_.data()[index];
    row.stash += change_of_stash(what.kind);
    ++row.written;
    if (key < 4) {
      ends_[place_of(what.stage, key / 2, what.micro_batch)] = slot_ + 1;
    }
    while (taken_[row.head]) {
      ++row.head;
    }
  }

  /// Whether everything that an action waits for has ended before this slot.
  constexpr bool is_ready(const action& what) const {
    const int m = what.micro_batch;
    if (what.kind == action_kind::forward) {
      return what.stage == 0 || ends_[place_of(what.stage - 1, 0, m)] <= slot_;
    }
    if (what.kind == action_kind::weight_gradient) {
      return ends_[place_of(what.stage, 1, m)] <= slot_;
    }
    return ends_[place_of(what.stage, 0, m)] <= slot_ &&
           (what.stage + 1 == given_.stages || ends_[place_of(what.stage + 1, 1, m)] <= slot_);
  }

  constexpr int place_of(int stage, int backward, int micro_batch) const {
    return (2 * stage + backward) * micro_batches_ + micro_batch;
  }

  const program& given_;
  const action* actions_;
  int micro_batches_;
  list<int> end_list_;
  list<bool> taken_list_;
  list<int> following_;  // [actions] the next of the same key, or -1
  list<row_state> rows_;
  int* ends_ = nullptr;    // [stages x 2 x micro-batches] slot after forward and input gradient
  bool* taken_ = nullptr;  // [actions]
  int bound_ = 0;
  int slot_ = 0;
};

}  // namespace v_blocks

}  // namespace ipu_dsl
