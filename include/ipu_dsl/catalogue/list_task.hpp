// SPDX-License-Identifier: MIT
// What a list scheduler works on, in tables, and what it decides.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>

namespace ipu_dsl {

namespace list_scheduling {

/// Later than anything: what is waited for is not known yet.
inline constexpr std::int64_t never = std::int64_t{1} << 60;

/// An action waits for the end of the forward (row 2 x stage) or of the input gradient (row
/// 2 x stage + 1) of another stage, and for the way from there.
struct wait {
  int row;
  std::int64_t delay;
};

/// What a row hands on reaches a device `delay` after its end.
struct reader {
  int device;
  std::int64_t delay;
};

/// What is to be scheduled, in tables.
struct task {
  int devices = 0;
  int stages = 0;
  int micro_batches = 0;
  list_view<int> device_of_stage;
  stage_graph_view graph;
  list<int> wait_begin;    ///< [2 x stages + 1], into waits
  list<wait> waits;        ///< of the forward and of the input gradient of each stage
  list<int> reader_begin;  ///< [2 x stages + 1], into readers
  list<reader> readers;    ///< on other devices
  list<int> stage_begin;   ///< [devices + 1], into stages_of_devices
  list<int> stages_of_devices;

  constexpr const stage_cost& cost(int stage) const { return graph.costs[stage]; }

  constexpr int stages_on(int device) const {
    return stage_begin.data()[device + 1] - stage_begin.data()[device];
  }
};

/// What a device prefers when there is a choice. None of them is best for all costs.
struct policy {
  bool forward_first = false;  ///< of a forward and an input gradient that are both ready
  bool careful = false;        ///< begin nothing that an input gradient would have to wait for
  bool lean = false;           ///< no more micro-batches in flight than there are stages ahead
  bool alternate = false;      ///< the order of 1F1B; one stage a device
};

/// Where a device is in a run.
struct device_state {
  std::int64_t awake_at = 0;  ///< when it decides next; `never` if that depends on others
  std::int64_t free_at = 0;   ///< end of its last action
  std::int64_t work_left = 0;
  int stages_begin = 0;  ///< into the stages of devices
  int stages_end = 0;
  int room = 0;     ///< forwards that memory admits
  int written = 0;  ///< where the next action of the row goes
  int oldest = 0;   ///< where to look for the input gradient that waits for its weight gradient
  bool idle = false;
};

/// What a device does next. Part 0 is a forward, 1 an input gradient, 2 a weight gradient; -1 is to
/// wait until `time`.
struct choice {
  int part = -1;
  int stage = 0;
  std::int64_t time = never;
};

/// 0 for a forward, 1 for a whole backward or an input gradient, 2 for what nobody waits for.
constexpr int part_of(action_kind kind) {
  return kind == action_kind::forward                                           ? 0
         : kind == action_kind::backward || kind == action_kind::input_gradient ? 1
                                                                                : 2;
}

/// Appends what part 0 or 1 of a stage waits for.
constexpr void append_waits(task& work, int stage, int part) {
  if (part == 1) {
    work.waits.push_back({2 * stage, 0});
  }
  for (const edge& link : work.graph.edges) {
    const int writer_part = part_of(link.writer.kind);
    const step* const readers = work.graph.readers.data() + link.first_reader;
    for (int which = 0; which < link.reader_count && writer_part < 2; ++which) {
      const step& reader = readers[which];
      const int writer = link.writer.stage;
      if (reader.stage == stage && part_of(reader.kind) == part && writer != stage) {
        const bool apart = work.device_of_stage[writer] != work.device_of_stage[stage];
        work.waits.push_back({2 * writer + writer_part, apart ? work.graph.hop : 0});
      }
    }
  }
}

/// Appends the other devices that wait for a row.
constexpr void append_readers(task& work, int row) {
  const int device = work.device_of_stage[row / 2];
  for (int other = 0; other < 2 * work.stages; ++other) {
    const int there = work.device_of_stage[other / 2];
    for (int i = work.wait_begin.data()[other];
         there != device && i < work.wait_begin.data()[other + 1]; ++i) {
      const wait& what = work.waits.data()[i];
      if (what.row == row) {
        work.readers.push_back({there, what.delay});
      }
    }
  }
}

/// The tables for stage s on `device_of_stage[s]`, which must outlive them, as must the graph.
constexpr task make_task(int devices, list_view<int> device_of_stage, int micro_batches,
                         const stage_graph_view& graph) {
  task work;
  work.devices = devices;
  work.stages = graph.stages;
  work.micro_batches = micro_batches;
  work.device_of_stage = device_of_stage;
  work.graph = graph;
  for (int row = 0; row < 2 * graph.stages; ++row) {
    work.wait_begin.push_back(static_cast<int>(work.waits.size()));
    append_waits(work, row / 2, row % 2);
  }
  work.wait_begin.push_back(static_cast<int>(work.waits.size()));
  for (int row = 0; row < 2 * graph.stages; ++row) {
    work.reader_begin.push_back(static_cast<int>(work.readers.size()));
    append_readers(work, row);
  }
  work.reader_begin.push_back(static_cast<int>(work.readers.size()));
  for (int device = 0; device < devices; ++device) {
    work.stage_begin.push_back(static_cast<int>(work.stages_of_devices.size()));
    for (int stage = 0; stage < graph.stages; ++stage) {
      if (device_of_stage[stage] == device) {
        work.stages_of_devices.push_back(stage);
      }
    }
  }
  work.stage_begin.push_back(static_cast<int>(work.stages_of_devices.size()));
  return work;
}

}  // namespace list_scheduling

}  // namespace ipu_dsl
