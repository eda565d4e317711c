// SPDX-License-Identifier: MIT
// A schedule as text: one line per device, time from left to right, then its facts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/report/action_name.hpp>
#include <ipu_dsl/report/fact_text.hpp>
#include <ipu_dsl/schedule/facts.hpp>

namespace ipu_dsl {

/// How a timeline is drawn.
struct timeline_style {
  std::size_t width = 100;                         ///< characters of a line
  std::string_view clock = "modelled cost units";  ///< what the times are, in the plural
};

namespace drawing {

/// Where columns begin and end: [columns + 1], ascending.
struct columns {
  std::vector<std::int64_t> bounds;
  bool equal = true;  ///< all of one length

  std::size_t size() const { return bounds.size() - 1; }
};

/// What all times share: the longest length that every start and end is a multiple of.
inline std::int64_t common_time(list_view<timed_action> timeline) {
  std::int64_t common = 0;
  for (const timed_action& times : timeline) {
    common = std::gcd(std::gcd(common, times.start), times.end);
  }
  return common == 0 ? 1 : common;
}

/// Columns of equal length, if a line holds them all or if few of them could be saved; otherwise
/// one column from each start or end to the next, so that every action is seen, however short.
inline columns columns_of(list_view<timed_action> timeline, std::int64_t makespan,
                          std::size_t room) {
  columns made;
  for (const timed_action& times : timeline) {
    made.bounds.push_back(times.start);
    made.bounds.push_back(times.end);
  }
  made.bounds.push_back(makespan);
  std::sort(made.bounds.begin(), made.bounds.end());
  made.bounds.erase(std::unique(made.bounds.begin(), made.bounds.end()), made.bounds.end());
  const std::int64_t length = common_time(timeline);
  const auto needed = static_cast<std::size_t>((makespan + length - 1) / length);
  made.equal = needed <= room || needed <= 2 * made.size();
  if (made.equal) {
    made.bounds.clear();
    for (std::size_t i = 0; i <= needed; ++i) {
      made.bounds.push_back(static_cast<std::int64_t>(i) * length);
    }
  }
  return made;
}

/// Whether an action of this kind lasts, and so is seen; an update may cost nothing.
inline bool is_drawn(const program_view& rows, list_view<timed_action> timeline, action_kind kind) {
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (rows.actions[i].kind == kind && timeline[i].end > timeline[i].start) {
      return true;
    }
  }
  return false;
}

inline bool has_joined(const program_view& rows) {
  return std::any_of(rows.actions.begin(), rows.actions.end(),
                     [](const action& what) { return what.joined; });
}

inline bool has_several_updates(const program_view& rows) {
  return std::any_of(rows.actions.begin(), rows.actions.end(), [](const action& what) {
    return what.kind == action_kind::update && what.micro_batch > 0;
  });
}

/// "F2: forward of micro-batch 2, B2: its backward, U: update, -: goes on, .: waits", of the kinds
/// that are drawn.
inline std::string legend(const program_view& rows, list_view<timed_action> timeline) {
  const bool short_names = one_stage_a_device(rows);
  const int stage = (std::min)(1, rows.stages - 1);
  const int micro_batch = (std::min)(2, rows.micro_batches - 1);
  const std::string whose = " of stage " + std::to_string(stage);
  std::string words;
  for (int number = 0; number < action_kinds; ++number) {
    const auto kind = static_cast<action_kind>(number);
    if (!is_drawn(rows, timeline, kind)) {
      continue;
    }
    const std::string does(kind_name(kind));
    if (kind == action_kind::update) {
      const int update = has_several_updates(rows) ? 1 : 0;
      words += cell_name({kind, stage, update}, short_names) + ": " + does +
               (update == 0 ? "" : " 1") + (short_names ? "" : whose) + ", ";
      continue;
    }
    const std::string name = cell_name({kind, stage, micro_batch}, short_names) + ": ";
    if (!words.empty()) {
      words += name + "its " + does + ", ";
    } else {
      words += name + does + (short_names ? " of" : whose + " on") + " micro-batch " +
               std::to_string(micro_batch) + ", ";
    }
  }
  return words + (has_joined(rows) ? "+: one step with the next, " : "") + "-: goes on, .: waits";
}

inline std::string padded(std::string words, std::size_t width) {
  words.resize(width < words.size() ? words.size() : width, ' ');
  return words;
}

/// Characters of a column: the longest name of an action that is seen, and a space.
inline std::size_t cell_width(const program_view& rows, list_view<timed_action> timeline) {
  const bool short_names = one_stage_a_device(rows);
  std::size_t width = 2;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const std::size_t length = cell_name(rows.actions[i], short_names).size() + 1;
    width = timeline[i].end > timeline[i].start ? (std::max)(width, length) : width;
  }
  return width;
}

/// The line of one device: names at starts, "-" while an action lasts, "." while nothing runs.
inline std::string device_line(const program_view& rows, list_view<timed_action> timeline,
                               int device, const columns& grid, std::size_t shown_columns,
                               std::size_t cell) {
  const bool short_names = one_stage_a_device(rows);
  list<int> shown(shown_columns, -1);
  list<bool> starts(shown_columns, false);
  for (int index = rows.row_begin[device]; index < rows.row_begin[device + 1]; ++index) {
    const timed_action& times = timeline[index];
    for (std::size_t at = 0; at < shown_columns && grid.bounds[at] < times.end; ++at) {
      if (grid.bounds[at] >= times.start) {
        shown[at] = index;
        starts[at] = grid.bounds[at] == times.start;
      }
    }
  }
  std::string line;
  for (std::size_t at = 0; at < shown_columns; ++at) {
    const int index = shown[at];
    line += padded(index < 0    ? "."
                   : starts[at] ? cell_name(rows.actions[index], short_names)
                                : "-",
                   cell);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// One line a fact, each with what it is.
inline std::string fact_lines(const program_view& rows, const facts& found,
                              std::string_view clock) {
  std::string page;
  for (const fact_text& fact : fact_texts(rows, found, {.unit = std::string(clock)})) {
    page += fact.name + " " + fact.value + (fact.meaning.empty() ? "" : ": " + fact.meaning) + "\n";
  }
  return page;
}

}  // namespace drawing

/// A timeline as people read it: a line per device with a name where an action starts, "-" while it
/// lasts and "." where the device waits; what the names mean; then the facts, with their unit and
/// clock. Long schedules are cut at the width, and the text says how much is not shown.
inline std::string timeline_text(const program_view& rows, list_view<timed_action> timeline,
                                 const facts& found, std::string_view name,
                                 const timeline_style& style = {}) {
  const std::size_t cell = drawing::cell_width(rows, timeline);
  const std::size_t prefix = ("device " + std::to_string(rows.devices - 1) + "  ").size();
  const std::size_t room = style.width > prefix + cell ? (style.width - prefix) / cell : 1;
  const drawing::columns grid = drawing::columns_of(timeline, found.makespan, room);
  const std::size_t shown = (std::min)(grid.size(), room);

  std::string page = sentence_of({"schedule ", name, ": ", how_many(rows.devices, "device"), ", ",
                                  how_many(rows.stages, "stage"), ", ",
                                  how_many(rows.micro_batches, "micro-batch"), "\n"});
  for (int device = 0; device < rows.devices; ++device) {
    page += drawing::padded("device " + std::to_string(device), prefix);
    page += drawing::device_line(rows, timeline, device, grid, shown, cell) + "\n";
  }
  page += drawing::legend(rows, timeline) + "\n";
  page += grid.equal ? "one column is " + drawing::counted(grid.bounds[1], style.clock)
                     : "a column ends where an action starts or ends: columns differ in length";
  if (shown < grid.size()) {
    const std::size_t hidden = grid.size() - shown;
    page += "; " + std::to_string(hidden) +
            (hidden == 1 ? " more column is not shown" : " more columns are not shown");
  }
  page += "\n" + drawing::fact_lines(rows, found, style.clock);
  return page;
}

}  // namespace ipu_dsl
