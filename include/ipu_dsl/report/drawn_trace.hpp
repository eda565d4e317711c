// SPDX-License-Identifier: MIT
// What a run really did, ready to be drawn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/report/drawn_timeline.hpp>
#include <ipu_dsl/runtime/trace.hpp>

namespace ipu_dsl {

/// What a lane of a measured run stands for.
enum class trace_lanes : std::uint8_t { devices, workers };

namespace drawing {

/// A traced run as a program of what happened: lanes for devices, with the times beside it.
struct traced_program {
  program rows;
  list<timed_action> timeline;  ///< [actions]
};

inline int lane_of(const traced_action& done, trace_lanes by) {
  return by == trace_lanes::devices ? done.device : done.worker;
}

/// All actions of a trace by lane, those of a lane in order of execution: its worker has recorded
/// them in that order.
inline std::vector<traced_action> actions_by_lane(const trace& recorded, trace_lanes by) {
  std::vector<std::vector<traced_action>> lanes;
  for (int worker = 0; worker < recorded.workers(); ++worker) {
    for (const traced_action& done : recorded.of(worker)) {
      const auto lane = static_cast<std::size_t>(lane_of(done, by));
      lanes.resize((std::max)(lanes.size(), lane + 1));
      lanes[lane].push_back(done);
    }
  }
  std::vector<traced_action> all;
  for (const std::vector<traced_action>& lane : lanes) {
    all.insert(all.end(), lane.begin(), lane.end());
  }
  return all;
}

inline traced_program program_of_trace(const trace& recorded, trace_lanes by) {
  const std::vector<traced_action> all = actions_by_lane(recorded, by);
  traced_program made;
  program& rows = made.rows;
  rows.devices = by == trace_lanes::workers ? recorded.workers() : 0;
  for (const traced_action& done : all) {
    rows.devices = (std::max)(rows.devices, lane_of(done, by) + 1);
    rows.stages = (std::max)(rows.stages, done.what.stage + 1);
    const bool counts = done.what.kind != action_kind::update;
    rows.micro_batches = (std::max)(rows.micro_batches, counts ? done.what.micro_batch + 1 : 0);
  }
  rows.device_of_stage.resize(rows.stages);
  rows.row_begin.resize(rows.devices + 1);
  for (const traced_action& done : all) {
    const int lane = lane_of(done, by);
    rows.device_of_stage[done.what.stage] = lane;
    rows.actions.push_back(done.what);
    made.timeline.push_back({done.start, done.end});
    ++rows.row_begin[lane + 1];
  }
  for (std::size_t lane = 1; lane < rows.row_begin.size(); ++lane) {
    rows.row_begin[lane] += rows.row_begin[lane - 1];
  }
  return made;
}

}  // namespace drawing

/// The picture of the last run of a session with `{.trace = true}`: `draw_trace(run.last_trace(),
/// "grouped")`. Times are microseconds of the host. Lanes are devices, whose actions follow each
/// other as the program says, or the workers that played them. Throws `error` if no run was traced.
inline drawn_timeline draw_trace(const trace& recorded, std::string_view title,
                                 trace_lanes by = trace_lanes::devices) {
  recorded.require_run();
  const drawing::traced_program made = drawing::program_of_trace(recorded, by);
  drawn_timeline drawn = draw_timeline(made.rows.view(), made.timeline, title,
                                       {time_source::measured, "microseconds", 1'000},
                                       by == trace_lanes::devices ? "device" : "worker");
  if (by == trace_lanes::devices) {
    drawn.subtitle += recorded.workers() == 1
                          ? ", played by 1 worker"
                          : ", played by " + std::to_string(recorded.workers()) + " workers";
  }
  return drawn;
}

}  // namespace ipu_dsl
