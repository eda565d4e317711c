// SPDX-License-Identifier: MIT
// Work pulled forward into the gaps of a schedule on a V of stages.
#pragma once

#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

namespace v_blocks {

/// Keys of actions: kind of work and stage of the device. Micro-batches ascend for each, so that
/// where the first that has not been taken has to wait, so have the others.
inline constexpr int keys = 6;

/// Where a row is. Keys: forwards, input gradients, weight gradients, of the stage there and back.
struct filling_row {
  int head = 0;         ///< the first action that has not been taken
  int written = 0;      ///< where the next one goes
  int stash = 0;        ///< forwards whose weight gradient is to come
  int next[keys] = {};  ///< by key, or -1
};

/// What is known of a program before its gaps are filled.
struct filling_tables {
  list<int> following;     ///< [actions] the next of the same key, or -1
  list<filling_row> rows;  ///< [devices] before the first slot
  int bound = 0;           ///< the peak stash
};

/// How far the filling of gaps has come, in arrays that belong to somebody else, which is how a
/// large program goes from one constant evaluation to the next. At the beginning they are zero, but
/// for `rows` and `filled`.
struct filling_state {
  int* ends = nullptr;          ///< [2 x stages x micro-batches] slot after forward or gradient
  bool* taken = nullptr;        ///< [actions]
  filling_row* rows = nullptr;  ///< [devices]
  action* filled = nullptr;     ///< [actions] as given, and overwritten from the front of each row
  int slot = 0;
  int left = 0;  ///< actions
};

constexpr int change_of_stash(action_kind kind) {
  return kind == action_kind::forward ? 1 : kind == action_kind::weight_gradient ? -1 : 0;
}

constexpr int key_of(const action& what, int devices) {
  const int leg = what.stage < devices ? 0 : 1;
  return leg + (what.kind == action_kind::forward          ? 0
                : what.kind == action_kind::input_gradient ? 2
                                                           : 4);
}

/// The row of actions [begin, end) before the first slot; enters which of them follow each other.
constexpr filling_row begin_row(const program_view& given, int begin, int end, int* following) {
  const action* const actions = given.actions.data();
  filling_row row = {begin, begin, 0, {-1, -1, -1, -1, -1, -1}};
  for (int index = end - 1; index >= begin; --index) {
    if (actions[index].kind != action_kind::update) {
      int& next = row.next[key_of(actions[index], given.devices)];
      following[index] = next;
      next = index;
    }
  }
  return row;
}

constexpr filling_tables begin_filling(const program_view& given) {
  const action* const actions = given.actions.data();
  const int* const row_begin = given.row_begin.data();
  filling_tables tables;
  tables.following.resize(given.actions.size(), -1);
  for (int device = 0; device < given.devices; ++device) {
    const int begin = row_begin[device];
    const int end = row_begin[device + 1];
    tables.rows.push_back(begin_row(given, begin, end, tables.following.data()));
    int stash = 0;
    for (int index = begin; index < end; ++index) {
      stash += change_of_stash(actions[index].kind);
      tables.bound = tables.bound < stash ? stash : tables.bound;
    }
  }
  return tables;
}

/// Runs a program of input and weight gradients slot by slot and lets a device that would wait take
/// a later action of its row, as long as the peak stash of the program does not grow: rows of a
/// block are dense in the middle and leave gaps in the warm-up and the cool-down. A device without
/// forwards left does weight gradients only if it would wait, because other devices wait for its
/// input gradients.
class gap_filler {
 public:
  constexpr gap_filler(const program_view& given, const int* following, int bound,
                       const filling_state& state)
      : given_(given),
        actions_(given.actions.data()),
        following_(following),
        micro_batches_(given.micro_batches),
        bound_(bound),
        state_(state),
        ends_(state.ends),
        taken_(state.taken),
        slot_(state.slot) {}

  gap_filler(const gap_filler&) = delete;
  gap_filler& operator=(const gap_filler&) = delete;

  /// Goes on, slot by slot, until `most` actions more have been taken or none are left; updates
  /// stay where they are. The state after it.
  constexpr filling_state advance(int most) {
    int left = state_.left;
    const int enough = left > most ? left - most : 0;
    for (; left > enough; ++slot_) {
      for (int device = 0; device < given_.devices; ++device) {
        filling_row& row = state_.rows[device];
        const int index = choose(row);
        if (index >= 0) {
          state_.filled[row.written] = actions_[index];
          take(row, index);
          --left;
        }
      }
    }
    state_.slot = slot_;
    state_.left = left;
    return state_;
  }

 private:
  static constexpr int never = 1 << 29;

  /// The index of the action that the device does in this slot, or -1.
  constexpr int choose(const filling_row& row) const {
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
  constexpr bool admits(const filling_row& row, int forward) const {
    int stash = row.stash;
    for (int index = row.head; index < forward && stash < bound_; ++index) {
      stash += taken_[index] ? 0 : change_of_stash(actions_[index].kind);
    }
    return stash < bound_;
  }

  constexpr void take(filling_row& row, int index) {
    const action& what = actions_[index];
    const int key = key_of(what, given_.devices);
    taken_[index] = true;
    row.next[key] = following_[index];
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
      return what.stage == 0 || has_ended(place_of(what.stage - 1, 0, m));
    }
    if (what.kind == action_kind::weight_gradient) {
      return has_ended(place_of(what.stage, 1, m));
    }
    return has_ended(place_of(what.stage, 0, m)) &&
           (what.stage + 1 == given_.stages || has_ended(place_of(what.stage + 1, 1, m)));
  }

  constexpr bool has_ended(int place) const { return ends_[place] != 0 && ends_[place] <= slot_; }

  constexpr int place_of(int stage, int backward, int micro_batch) const {
    return (2 * stage + backward) * micro_batches_ + micro_batch;
  }

  const program_view& given_;
  const action* actions_;
  const int* following_;
  int micro_batches_;
  int bound_;
  filling_state state_;
  int* ends_;  // of the state, as are the others: 0 for what has not ended
  bool* taken_;
  int slot_;
};

/// A program with its gaps filled.
constexpr program fill_gaps(program given) {
  const program_view rows = given.view();
  filling_tables tables = begin_filling(rows);
  list<int> ends(2 * rows.stages * rows.micro_batches);
  list<bool> taken(rows.actions.size());
  list<action> filled = given.actions;
  const filling_state begun = {.ends = ends.data(),
                               .taken = taken.data(),
                               .rows = tables.rows.data(),
                               .filled = filled.data(),
                               .left = 3 * rows.stages * rows.micro_batches};
  gap_filler(rows, tables.following.data(), tables.bound, begun).advance(begun.left);
  given.actions = std::move(filled);
  return given;
}

}  // namespace v_blocks

}  // namespace ipu_dsl
