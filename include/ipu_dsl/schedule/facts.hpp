// SPDX-License-Identifier: MIT
// What a program and a timeline of it say: bubbles, bounds, and how many micro-batches are kept.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/rotation.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

namespace ipu_dsl {

/// Facts of a timeline. Times are in the unit of the timeline; two bubbles are in use in the field,
/// and they are not the same number (Zero Bubble's schedules are without bubble in the second sense
/// alone).
struct facts {
  int devices = 0;
  int slots = 0;              ///< lockstep time slots, the update's included; 0 if none are given
  bool ascending = true;      ///< every stage accumulates gradients by ascending micro-batch
  std::int64_t makespan = 0;  ///< end of the last action
  std::int64_t work = 0;      ///< of all devices
  std::int64_t busiest = 0;   ///< work of the device with most of it
  int busiest_device = 0;     ///< the first with so much work
  std::int64_t span_bubble = 0;  ///< most over devices of last end - first start - work

  /// The time that the busiest device waits: the run ends with a barrier.
  constexpr std::int64_t flush_bubble() const { return makespan - busiest; }

  /// The flush bubble as a share of the makespan, in [0, 1].
  constexpr double flush_bubble_share() const { return share(flush_bubble(), makespan); }

  /// The share of all devices' time that is not work, in [0, 1].
  constexpr double idle_share() const {
    const std::int64_t available = devices * makespan;
    return share(available - work, available);
  }

  /// The span bubble as a share of the makespan, in [0, 1].
  constexpr double span_bubble_share() const { return share(span_bubble, makespan); }

  /// How many times faster than one device doing everything: work / makespan.
  constexpr double speedup() const { return share(work, makespan); }

  /// What the speed-up cannot exceed, however many micro-batches: work / work of the busiest
  /// device.
  constexpr double speedup_bound() const { return share(work, busiest); }

 private:
  static constexpr double share(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// The work of each device: [devices].
constexpr list<std::int64_t> work_of_devices(const program_view& rows,
                                             list_view<timed_action> timeline) {
  const timed_action* const times = timeline.data();
  list<std::int64_t> work;
  for (int device = 0; device < rows.devices; ++device) {
    std::int64_t sum = 0;
    const int end = rows.row_begin.data()[device + 1];
    for (int index = rows.row_begin.data()[device]; index < end; ++index) {
      sum += times[index].end - times[index].start;
    }
    work.push_back(sum);
  }
  return work;
}

/// Whether every stage adds its weight gradients by ascending micro-batch, which makes the sums of
/// all such programs the same to the bit.
constexpr bool accumulates_ascending(const program_view& rows) {
  const action* const actions = rows.actions.data();
  const int action_count = static_cast<int>(rows.actions.size());
  list<int> last_of_stage(rows.stages, -1);
  int* const last = last_of_stage.data();
  for (int index = 0; index < action_count; ++index) {
    const action& what = actions[index];
    if (!ends_backward[static_cast<int>(what.kind)]) {
      continue;
    }
    if (what.micro_batch < last[what.stage]) {
      return false;
    }
    last[what.stage] = what.micro_batch;
  }
  return true;
}

/// The facts of a timeline of a proven program.
constexpr facts facts_of(const program_view& rows, list_view<timed_action> timeline) {
  const timed_action* const times = timeline.data();
  const int* const row_begin = rows.row_begin.data();
  facts found;
  found.devices = rows.devices;
  found.ascending = accumulates_ascending(rows);
  const list<std::int64_t> work = work_of_devices(rows, timeline);
  for (int device = 0; device < rows.devices; ++device) {
    const int begin = row_begin[device];
    const int end = row_begin[device + 1];
    if (begin == end) {
      continue;
    }
    const std::int64_t busy = work.data()[device];
    found.work += busy;
    found.busiest_device = found.busiest < busy ? device : found.busiest_device;
    found.busiest = found.busiest < busy ? busy : found.busiest;
    const std::int64_t bubble = times[end - 1].end - times[begin].start - busy;
    found.span_bubble = found.span_bubble < bubble ? bubble : found.span_bubble;
    found.makespan = found.makespan < times[end - 1].end ? times[end - 1].end : found.makespan;
    // Slots ascend in a row.
    if (!rows.slot.empty() && found.slots <= rows.slot.data()[end - 1]) {
      found.slots = rows.slot.data()[end - 1] + 1;
    }
  }
  return found;
}

/// The most micro-batches that are kept between their forward and the end of their backward (less
/// those that are offloaded), for each key: a stage, or a device. A property of the rows alone,
/// whatever the costs.
constexpr list<int> peak_stash(const program_view& rows, int keys, bool by_device) {
  const action* const actions = rows.actions.data();
  const int action_count = static_cast<int>(rows.actions.size());
  list<int> held(keys);
  list<int> peak(keys);
  bool backwards = false;
  for (int index = 0; index < action_count; ++index) {
    const action& what = actions[index];
    const int key = by_device ? rows.device_of_stage.data()[what.stage] : what.stage;
    int& count = held.data()[key];
    const int change = stash_change(what.kind);
    count += change;
    peak.data()[key] = peak.data()[key] < count ? count : peak.data()[key];
    backwards = backwards || change < 0;
  }
  // Forwards alone keep nothing. Not one conditional expression: see make_program.
  if (!backwards) {
    return list<int>(keys);
  }
  return peak;
}

/// The most micro-batches in flight in each stage: [stages].
constexpr list<int> peak_stash_of_stages(const program_view& rows) {
  return peak_stash(rows, rows.stages, false);
}

/// The most micro-batches in flight in each device, over its stages: [devices].
constexpr list<int> peak_stash_of_devices(const program_view& rows) {
  return peak_stash(rows, rows.devices, true);
}

/// The depth of the reference's queue from the forward of a stage to its backward: 2, 1 or 0 times
/// the stages behind it (graphcore/tensorflow, passes/pipeline_fifo_inserter.cc). One less than the
/// micro-batches in flight, because the reference's queue hands over before it takes. What the
/// library allocates are slots, which are counted on their own.
constexpr int reference_stash_depth(overlap how, int stages, int stage) {
  const int behind = stages - 1 - stage;
  switch (how) {
    case overlap::none:
      return 0;
    case overlap::disjoint:
      return behind;
    case overlap::all:
      return 2 * behind;
  }
  return 0;
}

}  // namespace ipu_dsl
