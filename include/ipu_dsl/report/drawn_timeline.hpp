// SPDX-License-Identifier: MIT
// A timeline as a plain value, ready to be drawn: what all pictures of it have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/report/fact_text.hpp>
#include <ipu_dsl/schedule/facts.hpp>

namespace ipu_dsl {

/// One action in a picture.
struct drawn_bar {
  int lane = 0;
  std::int64_t start = 0;  ///< in ticks
  std::int64_t end = 0;    ///< in ticks; an action that costs nothing ends where it starts
  action what = {};        ///< kind, stage, micro-batch, and whether it is joined with the next bar
};

/// One line of a picture: a device, or a worker of the host.
struct drawn_lane {
  std::string name;
  std::int64_t busy = 0;  ///< sum of its bars, in ticks
  int stash = 0;          ///< most micro-batches between forward and backward, over its stages
};

/// What makes one stage look unlike the others of its lane: its place among them.
struct stage_shade {
  int place = 0;
  int of = 1;  ///< stages of the lane
};

/// A picture of one run before it has a form. Everything in it may be changed before drawing.
struct drawn_timeline {
  std::string title;
  std::string subtitle;  ///< counts, and how devices wait for each other
  drawn_clock clock;
  std::int64_t makespan = 0;          ///< in ticks
  int copies = 1;                     ///< of the weights, see `weight_policy`
  std::vector<stage_shade> shades;    ///< by stage
  std::vector<drawn_lane> lanes;      ///< from top to bottom
  std::vector<drawn_bar> bars;        ///< lane after lane, each in order of execution
  std::vector<fact_text> fact_lines;  ///< what the run says about the schedule
};

namespace drawing {

/// "4 devices, 8 stages, 16 micro-batches"
inline std::string counts_text(const program_view& rows, std::string_view lane_name) {
  return sentence_of({how_many(rows.devices, lane_name), ", ", how_many(rows.stages, "stage"), ", ",
                      how_many(rows.micro_batches, "micro-batch"),
                      rows.weights.copies > 1 ? " of each copy of the weights" : ""});
}

/// The place of each stage among those of its device, by number.
inline std::vector<stage_shade> shades_of(const program_view& rows) {
  std::vector<stage_shade> shades(static_cast<std::size_t>(rows.stages));
  list<int> placed(rows.devices);
  for (std::size_t stage = 0; stage < shades.size(); ++stage) {
    int& count = placed[rows.device_of_stage[stage]];
    shades[stage].place = count;
    ++count;
  }
  for (std::size_t stage = 0; stage < shades.size(); ++stage) {
    shades[stage].of = placed[rows.device_of_stage[stage]];
  }
  return shades;
}

inline std::vector<drawn_lane> lanes_of(const program_view& rows, list_view<timed_action> timeline,
                                        std::string_view lane_name) {
  const list<std::int64_t> work = work_of_devices(rows, timeline);
  const list<int> stash = peak_stash_of_devices(rows);
  std::vector<drawn_lane> lanes;
  for (int device = 0; device < rows.devices; ++device) {
    lanes.push_back(
        {std::string(lane_name) + " " + std::to_string(device), work[device], stash[device]});
  }
  return lanes;
}

inline std::vector<drawn_bar> bars_of(const program_view& rows, list_view<timed_action> timeline) {
  std::vector<drawn_bar> bars;
  bars.reserve(timeline.size());
  for (int device = 0; device < rows.devices; ++device) {
    for (int index = rows.row_begin[device]; index < rows.row_begin[device + 1]; ++index) {
      bars.push_back({device, timeline[index].start, timeline[index].end, rows.actions[index]});
    }
  }
  return bars;
}

}  // namespace drawing

/// The picture of a program whose actions have these times: [actions], in the order of the rows.
/// `title` is its headline; lanes are called "device 0" and so on, or after `lane_name`.
inline drawn_timeline draw_timeline(const program_view& rows, list_view<timed_action> timeline,
                                    std::string_view title, const drawn_clock& clock = {},
                                    std::string_view lane_name = "device") {
  const facts found = facts_of(rows, timeline);
  drawn_timeline drawn;
  drawn.title = title;
  drawn.subtitle = drawing::counts_text(rows, lane_name);
  drawn.clock = clock;
  drawn.makespan = found.makespan;
  drawn.copies = rows.weights.copies;
  drawn.shades = drawing::shades_of(rows);
  drawn.lanes = drawing::lanes_of(rows, timeline, lane_name);
  drawn.bars = drawing::bars_of(rows, timeline);
  drawn.fact_lines = drawing::fact_texts(rows, found, clock);
  return drawn;
}

}  // namespace ipu_dsl
