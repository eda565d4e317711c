// SPDX-License-Identifier: MIT
// What joined actions say by themselves: no part of a step waits for another part of it.
#pragma once

#include <cstddef>

#include <ipu_dsl/schedule/joined_step.hpp>
#include <ipu_dsl/schedule/verdict.hpp>

namespace ipu_dsl::proof {

/// Walks the steps of several actions. Within a stage rows and not edges hold the order: an action
/// of a micro-batch waits for the one before it, an update for the backwards that it takes and for
/// the update before it, a forward for the update that makes the version it is promised. (Between
/// stages the run finds it.)
class step_walk {
 public:
  constexpr explicit step_walk(const examination& exam)
      : exam_(exam),
        actions_(exam.rows.actions.data()),
        weights_(exam.rows.weights),
        micro_batches_(exam.rows.micro_batches),
        step_of_(exam.rows.stages * micro_batches_),
        update_step_(exam.rows.stages),
        update_(exam.rows.stages) {}

  /// The first part that waits for one before it in its step.
  constexpr verdict walk() {
    const int* const row_begin = exam_.rows.row_begin.data();
    for (int device = 0; device < exam_.rows.devices; ++device) {
      bool follows = false;
      for (int index = row_begin[device]; index < row_begin[device + 1]; ++index) {
        const action& what = actions_[index];
        if (!what.joined && !follows) {
          continue;
        }
        step_ += follows ? 0 : 1;
        if (waits_within(what)) {
          return explain_own_step(exam_, index, index - row_begin[device]);
        }
        enter(what);
        follows = what.joined;
      }
    }
    return {};
  }

 private:
  constexpr bool waits_within(const action& what) const {
    const int* const step_of = step_of_.data() + what.stage * micro_batches_;
    const int last_update = update_step_.data()[what.stage];
    if (what.kind != action_kind::update) {
      const bool promised = what.kind == action_kind::forward && weights_.update_interval > 0 &&
                            weights_.delay != weight_policy::newest && last_update == step_;
      return step_of[what.micro_batch] == step_ ||
             (promised && update_.data()[what.stage] <
                              what.micro_batch / weights_.update_interval - weights_.delay);
    }
    const int interval = weights_.update_interval == 0 ? micro_batches_ : weights_.update_interval;
    const int first = what.micro_batch * interval;
    const int end = micro_batches_ - first < interval ? micro_batches_ : first + interval;
    bool waits = last_update == step_;
    for (int taken = first; taken < end && !waits; ++taken) {
      waits = step_of[taken] == step_;
    }
    return waits;
  }

  constexpr void enter(const action& what) {
    if (what.kind == action_kind::update) {
      update_step_.data()[what.stage] = step_;
      update_.data()[what.stage] = what.micro_batch;
    } else {
      step_of_.data()[what.stage * micro_batches_ + what.micro_batch] = step_;
    }
  }

  const examination& exam_;
  const action* actions_;
  weight_policy weights_;
  int micro_batches_;
  int step_ = 0;           // counted from 1; 0: in none
  list<int> step_of_;      // [stages x micro-batches] the last step with an action of each
  list<int> update_step_;  // [stages] the last step with an update
  list<int> update_;       // [stages] the number of that update
};

/// Joined actions that wait for each other wait forever: they start together or not at all.
constexpr verdict check_steps(const examination& exam) {
  return joins_any(exam.rows) ? step_walk(exam).walk() : verdict();
}

}  // namespace ipu_dsl::proof
