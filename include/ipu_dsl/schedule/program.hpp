// SPDX-License-Identifier: MIT
// A schedule as a value: one ordered row of actions per device.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/action.hpp>

namespace ipu_dsl {

/// How a program treats weights. Left alone it is synchronous, with one copy of them: every
/// micro-batch of a run sees the same weights, and one update comes at the end.
struct weight_policy {
  static constexpr int newest = -1;

  /// Copies of the weights: stages s, s + stages / copies, ... hold the same ones, and their
  /// gradients meet in the update (Chimera and DualPipe have two pipes in opposite directions).
  int copies = 1;
  /// Micro-batches from one update to the next; 0 for one update at the end of the run. Update j of
  /// a stage takes the gradients of micro-batches [j, j + 1) x interval.
  int update_interval = 0;
  /// Which version of the weights the forward and the backward of a micro-batch see, a version
  /// being the number of updates behind it. `newest`: the one at hand at its forward (PipeDream).
  /// Otherwise, with a batch being the micro-batches of one update: batch b sees version b - delay,
  /// or 0 (PipeDream-2BW has delay 1).
  int delay = newest;

  friend constexpr bool operator==(const weight_policy&, const weight_policy&) = default;
};

/// A program seen through spans: what every function over schedules takes.
struct program_view {
  int devices = 0;
  int stages = 0;
  int micro_batches = 0;           ///< of one run; of each copy if there are several
  list_view<int> device_of_stage;  ///< [stages]
  list_view<action> actions;       ///< [actions], device after device
  list_view<int> row_begin;        ///< [devices + 1], into actions
  list_view<int> slot;             ///< [actions], lockstep time slot; empty if not given
  weight_policy weights = {};

  /// The actions of one device in the order in which it executes them.
  constexpr list_view<action> row(int device) const {
    const int begin = row_begin[device];
    const int end = row_begin[device + 1];
    return actions.part(begin, end - begin);
  }
};

/// What is wrong with a program of a number of stages.
template <typename Stages>
struct placement_fault_of {
  static constexpr problem find() {
    problem found = refuse("the device of each stage between devices and micro-batches", "a number",
                           "write program rows(devices, neighbouring_placement(devices, stages), "
                           "micro_batches)");
    found.where = "program";
    return found;
  }

  static constexpr problem value = find();
};

/// Ends the compiler's evaluation of what is refused, of which no more is to be said; in no program
/// that compiles.
void end_evaluation();

/// A program that owns its rows. Rows are appended device after device: `put` the actions of
/// device 0, then `end_row()`, and so on.
struct program {
  int devices = 0;
  int stages = 0;
  int micro_batches = 0;
  list<int> device_of_stage;  ///< [stages]
  list<action> actions;       ///< [actions], device after device
  list<int> row_begin;        ///< [devices + 1]
  list<int> slot;             ///< [actions] or empty
  weight_policy weights;

  constexpr program() = default;

  /// No actions yet; stage `s` runs on `placement[s]`.
  constexpr program(int devices_, list_view<int> placement, int micro_batches_)
      : devices(devices_),
        stages(static_cast<int>(placement.size())),
        micro_batches(micro_batches_) {
    device_of_stage.append(placement);
    row_begin.push_back(0);
  }

  /// Refused with a sentence: how many stages there are in place of where they are.
  template <std::integral Stages>
  constexpr program(int, Stages, int micro_batches_) {
    static_assert(diagnose<placement_fault_of<Stages>>());
    if (micro_batches_ != 0) {
      end_evaluation();
    }
  }

  /// Appends to the row being written.
  constexpr void put(action_kind kind, int stage, int micro_batch) {
    actions.push_back({kind, stage, micro_batch});
  }

  /// Appends an action that is one step with the next one of the row.
  constexpr void put_joined(action_kind kind, int stage, int micro_batch) {
    actions.push_back({kind, stage, micro_batch, true});
  }

  /// The row being written is complete; the next one is that of the next device.
  constexpr void end_row() { row_begin.push_back(static_cast<int>(actions.size())); }

  /// The same behind the updates of all stages of `device`, whose row it is.
  constexpr void end_training_row(int device) {
    for (int stage = 0; stage < stages; ++stage) {
      if (device_of_stage[stage] == device) {
        put(action_kind::update, stage, 0);
      }
    }
    end_row();
  }

  constexpr program_view view() const {
    return {devices, stages, micro_batches, device_of_stage, actions, row_begin, slot, weights};
  }
};

/// Whether a program has far fewer actions than its counts ask for, so that what is kept for every
/// stage and micro-batch would be out of proportion to it. Of such a program forwards are missing:
/// every stage does at least one action on every micro-batch.
constexpr bool is_sparse(std::size_t actions, int stages, int micro_batches) {
  constexpr std::int64_t always = 65536;
  constexpr std::int64_t an_action = 8;
  return static_cast<std::int64_t>(stages) * micro_batches >
         always + an_action * static_cast<std::int64_t>(actions);
}

/// How many updates each stage has in a run.
constexpr int updates_of_run(const program_view& rows) {
  const int interval = rows.weights.update_interval;
  return interval == 0 ? 1 : (rows.micro_batches + interval - 1) / interval;
}

/// Whether any backward of a program comes in halves.
constexpr bool splits_backward(const program_view& rows) {
  for (const action& what : rows.actions) {
    if (what.kind == action_kind::input_gradient) {
      return true;
    }
  }
  return false;
}

/// The usual placement: neighbouring stages share a device, as evenly as the counts allow.
/// Stage `s` of `stages` is on device `s * devices / stages`.
constexpr list<int> neighbouring_placement(int devices, int stages) {
  list<int> device_of_stage;
  device_of_stage.reserve(stages);
  for (int stage = 0; stage < stages; ++stage) {
    device_of_stage.push_back(stage * devices / stages);
  }
  return device_of_stage;
}

/// Stages dealt out round after round, as virtual stages are: stage `s` is on device `s % devices`.
constexpr list<int> looped_placement(int devices, int stages) {
  list<int> device_of_stage;
  device_of_stage.reserve(stages);
  for (int stage = 0; stage < stages; ++stage) {
    device_of_stage.push_back(stage % devices);
  }
  return device_of_stage;
}

/// Stages dealt out there and back, so that neighbours at the turn share a device: with two stages
/// a device a V, with more a wave.
constexpr list<int> snake_placement(int devices, int stages) {
  list<int> device_of_stage;
  device_of_stage.reserve(stages);
  for (int stage = 0; stage < stages; ++stage) {
    const int place = stage % devices;
    const bool back = stage / devices % 2 == 1;
    device_of_stage.push_back(back ? devices - 1 - place : place);
  }
  return device_of_stage;
}

/// Two pipes in opposite directions, each with one stage a device: stage `s` of the first is on
/// device `s`, stage `devices + s`, its copy, on device `devices - 1 - s`.
constexpr list<int> mirrored_placement(int devices) {
  return snake_placement(devices, 2 * devices);
}

}  // namespace ipu_dsl
