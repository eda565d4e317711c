// SPDX-License-Identifier: MIT
// The one generator of the reference's schedules: the steps of a micro-batch on a line of time
// slots, and the slots at which micro-batches start.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

/// Training runs forward, backward and update; inference runs forward alone.
enum class purpose : std::uint8_t { training, inference };

/// Which rotations of the step line run side by side.
enum class overlap : std::uint8_t {
  none,      ///< one micro-batch in the machine
  disjoint,  ///< rotations in which no device is used twice in a slot
  all,       ///< every rotation
};

/// The device of every step of a micro-batch: F(0) .. F(S - 1) and, in training,
/// B(S - 1) .. B(0).
constexpr list<int> step_devices(list_view<int> device_of_stage, purpose aim) {
  list<int> devices;
  devices.append(device_of_stage);
  if (aim == purpose::training) {
    for (std::size_t back = device_of_stage.size(); back > 0; --back) {
      devices.push_back(device_of_stage[back - 1]);
    }
  }
  return devices;
}

/// Whether two rotations of the line of step devices differ at every place.
constexpr bool rotations_disjoint(const list<int>& devices, std::size_t first, std::size_t second) {
  const std::size_t count = devices.size();
  for (std::size_t place = 0; place < count; ++place) {
    if (devices[(place + first) % count] == devices[(place + second) % count]) {
      return false;
    }
  }
  return true;
}

/// The slots at which the micro-batches of one round start, ascending; their number is the
/// reference's overlap length. `disjoint` accepts a rotation greedily if no device would be used
/// twice (the CircularUnion of graphcore/tensorflow, pipeline_visitor_utils.h).
constexpr list<int> start_offsets(const list<int>& devices, overlap how) {
  list<int> offsets = {0};
  if (how == overlap::none) {
    return offsets;
  }
  for (std::size_t candidate = 1; candidate < devices.size(); ++candidate) {
    bool accepted = true;
    if (how == overlap::disjoint) {
      for (const int offset : offsets) {
        accepted =
            accepted && rotations_disjoint(devices, static_cast<std::size_t>(offset), candidate);
      }
    }
    if (accepted) {
      offsets.push_back(static_cast<int>(candidate));
    }
  }
  return offsets;
}

/// How many micro-batches overlap; the reference wants their number to be a multiple of it.
constexpr int overlap_length(list_view<int> device_of_stage, overlap how, purpose aim) {
  return static_cast<int>(start_offsets(step_devices(device_of_stage, aim), how).size());
}

namespace rotation {

/// Steps of one device and how many micro-batches each of them has done.
struct merge_state {
  list<int> steps;
  list<int> done;
};

/// Step number -> action.
constexpr action action_of(int step_number, int stages, int micro_batch) {
  return step_number < stages
             ? action{action_kind::forward, step_number, micro_batch}
             : action{action_kind::backward, 2 * stages - 1 - step_number, micro_batch};
}

/// Appends the row of one device: its steps merged by time slot, and within a slot the step later
/// in the line first, which is the reference's order (a backward before a forward).
constexpr void append_row(program& rows, merge_state& state, const list<int>& start) {
  const int* const step = state.steps.data();
  int* const done = state.done.data();
  const int* const begin = start.data();
  const int ways = static_cast<int>(state.steps.size());
  const int total = ways * rows.micro_batches;
  for (int i = 0; i < total; ++i) {
    // Steps ascend, so that the last of the equal ones is the one later in the line.
    int next = 0;
    int slot = begin[done[0]] + step[0];
    for (int way = 1; way < ways; ++way) {
      const int other = begin[done[way]] + step[way];
      if (other <= slot) {
        next = way;
        slot = other;
      }
    }
    rows.slot.push_back(slot);
    rows.actions.push_back(action_of(step[next], rows.stages, done[next]++));
  }
}

}  // namespace rotation

/// The program of a placement: micro-batch m starts in slot
/// (m / overlap length) * steps + offset[m % overlap length] and does one step a slot. Updates come
/// last, in a slot of their own. Any number of micro-batches works; the reference's constraint is
/// the business of the schedule's `allows`.
constexpr program rotate(int devices, list_view<int> device_of_stage, int micro_batches,
                         overlap how, purpose aim) {
  const list<int> line = step_devices(device_of_stage, aim);
  const list<int> offsets = start_offsets(line, how);
  const int steps = static_cast<int>(line.size());
  const int round = static_cast<int>(offsets.size());
  constexpr int never = 1 << 29;
  list<int> start;
  start.reserve(micro_batches + 1);
  for (int m = 0; m < micro_batches; ++m) {
    start.push_back(m / round * steps + offsets[m % round]);
  }
  const int slots = start.empty() ? 0 : start.back() + steps;
  start.push_back(never);

  program rows(devices, device_of_stage, micro_batches);
  const std::size_t expected = line.size() * static_cast<std::size_t>(micro_batches + 1);
  rows.actions.reserve(expected);
  rows.slot.reserve(expected);
  for (int device = 0; device < devices; ++device) {
    rotation::merge_state state;
    for (int number = 0; number < steps; ++number) {
      if (line[number] == device) {
        state.steps.push_back(number);
        state.done.push_back(0);
      }
    }
    rotation::append_row(rows, state, start);
    for (int stage = 0; aim == purpose::training && stage < rows.stages; ++stage) {
      if (device_of_stage[stage] == device) {
        rows.put(action_kind::update, stage, 0);
        rows.slot.push_back(slots);
      }
    }
    rows.end_row();
  }
  return rows;
}

}  // namespace ipu_dsl
