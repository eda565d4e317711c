// SPDX-License-Identifier: MIT
// A schedule as text: one line per device, time from left to right, then its facts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
inline std::int64_t common_time(std::span<const timed_action> timeline) {
  std::int64_t common = 0;
  for (const timed_action& times : timeline) {
    common = std::gcd(std::gcd(common, times.start), times.end);
  }
  return common == 0 ? 1 : common;
}

/// Columns of equal length, if a line holds them all or if few of them could be saved; otherwise
/// one column from each start or end to the next, so that every action is seen, however short.
inline columns columns_of(std::span<const timed_action> timeline, std::int64_t makespan,
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

/// "F0" and "U" where a device has one stage, so that a digit is always the micro-batch; else
/// "F2(0)" and "U2".
inline std::string cell_name(const action& what, bool one_stage_a_device) {
  if (one_stage_a_device) {
    const std::string kind(1, letter(what.kind));
    return what.kind == action_kind::update ? kind : kind + std::to_string(what.micro_batch);
  }
  return std::string(describe(what).view());
}

inline std::string_view kind_name(action_kind kind) {
  constexpr std::string_view names[action_kinds] = {
      "forward", "backward", "input gradient", "weight gradient", "recompute", "update"};
  return names[static_cast<std::size_t>(kind)];
}

/// Whether an action of this kind lasts, and so is seen; an update may cost nothing.
inline bool is_drawn(const program_view& rows, std::span<const timed_action> timeline,
                     action_kind kind) {
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (rows.actions[i].kind == kind && timeline[i].end > timeline[i].start) {
      return true;
    }
  }
  return false;
}

/// "F2: forward of micro-batch 2, B2: its backward, U: update, -: goes on, .: waits", of the kinds
/// that are drawn.
inline std::string legend(const program_view& rows, std::span<const timed_action> timeline) {
  const bool short_names = rows.devices == rows.stages;
  const int stage = std::min(1, rows.stages - 1);
  const int micro_batch = std::min(2, rows.micro_batches - 1);
  const std::string whose = " of stage " + std::to_string(stage);
  std::string words;
  for (int number = 0; number < action_kinds; ++number) {
    const auto kind = static_cast<action_kind>(number);
    if (!is_drawn(rows, timeline, kind)) {
      continue;
    }
    const std::string name = cell_name({kind, stage, micro_batch}, short_names) + ": ";
    const std::string does(kind_name(kind));
    if (kind == action_kind::update) {
      words += name + does + (short_names ? "" : whose) + ", ";
    } else if (!words.empty()) {
      words += name + "its " + does + ", ";
    } else {
      words += name + does + (short_names ? " of" : whose + " on") + " micro-batch " +
               std::to_string(micro_batch) + ", ";
    }
  }
  return words + "-: goes on, .: waits";
}

inline std::string padded(std::string words, std::size_t width) {
  words.resize(width < words.size() ? words.size() : width, ' ');
  return words;
}

/// "25.0 %"
inline std::string percent(double share) {
  char words[32];
  std::snprintf(words, sizeof words, "%.1f %%", 100 * share);
  return words;
}

/// "1.33x"
inline std::string times_faster(double factor) {
  char words[32];
  std::snprintf(words, sizeof words, "%.2fx", factor);
  return words;
}

/// "15 units", "1 unit": a clock is written in the plural.
inline std::string counted(std::int64_t count, std::string_view clock) {
  constexpr std::string_view plural = "units";
  if (count == 1 && clock.ends_with(plural)) {
    clock.remove_suffix(1);
  }
  return std::to_string(count) + " " + std::string(clock);
}

/// The line of one device: names at starts, "-" while an action lasts, "." while nothing runs.
inline std::string device_line(const program_view& rows, std::span<const timed_action> timeline,
                               int device, const columns& grid, std::size_t shown_columns,
                               std::size_t cell) {
  const bool short_names = rows.devices == rows.stages;
  list<int> shown(shown_columns, -1);
  list<bool> starts(shown_columns, false);
  const std::size_t end =
      static_cast<std::size_t>(rows.row_begin[static_cast<std::size_t>(device) + 1]);
  for (std::size_t index =
           static_cast<std::size_t>(rows.row_begin[static_cast<std::size_t>(device)]);
       index < end; ++index) {
    const timed_action& times = timeline[index];
    for (std::size_t at = 0; at < shown_columns && grid.bounds[at] < times.end; ++at) {
      if (grid.bounds[at] >= times.start) {
        shown[at] = static_cast<int>(index);
        starts[at] = grid.bounds[at] == times.start;
      }
    }
  }
  std::string line;
  for (std::size_t at = 0; at < shown_columns; ++at) {
    const int index = shown[at];
    line +=
        padded(index < 0    ? "."
               : starts[at] ? cell_name(rows.actions[static_cast<std::size_t>(index)], short_names)
                            : "-",
               cell);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// "7, 5, 3, 1"
inline std::string numbers(std::span<const int> values) {
  std::string words;
  for (const int value : values) {
    words += (words.empty() ? "" : ", ") + std::to_string(value);
  }
  return words;
}

/// One line a fact, each with what it is.
inline std::string fact_lines(const program_view& rows, const facts& found,
                              std::string_view clock) {
  std::string page = "makespan " + counted(found.makespan, clock) + ": end of the last action\n";
  page += "flush bubble " + std::to_string(found.flush_bubble()) + " = " +
          percent(found.flush_bubble_share()) + " of makespan: the busiest device waits\n";
  page += "span bubble " + std::to_string(found.span_bubble) +
          ": most that a device waits between its first and last action\n";
  page += "idle share " + percent(found.idle_share()) + " of all devices' time\n";
  page += "speed-up " + times_faster(found.speedup()) + " over one device, bound " +
          times_faster(found.speedup_bound()) + "\n";
  page += "stash per stage " + numbers(peak_stash_of_stages(rows)) +
          " micro-batches: most kept between forward and backward\n";
  page += "lockstep slots " + std::to_string(found.slots) +
          ": time slots if all devices wait for each other\n";
  page += "gradients accumulate in " + std::string(found.ascending ? "ascending" : "another") +
          " order of micro-batches\n";
  return page;
}

}  // namespace drawing

/// A timeline as people read it: a line per device with a name where an action starts, "-" while it
/// lasts and "." where the device waits; what the names mean; then the facts, with their unit and
/// clock. Long schedules are cut at the width, and the text says how much is not shown.
inline std::string timeline_text(const program_view& rows, std::span<const timed_action> timeline,
                                 const facts& found, std::string_view name,
                                 const timeline_style& style = {}) {
  std::size_t cell = 2;
  for (const action& what : rows.actions) {
    const std::size_t length = drawing::cell_name(what, rows.devices == rows.stages).size() + 1;
    cell = what.kind == action_kind::update || cell > length ? cell : length;
  }
  const std::size_t prefix = ("device " + std::to_string(rows.devices - 1) + "  ").size();
  const std::size_t room = style.width > prefix + cell ? (style.width - prefix) / cell : 1;
  const drawing::columns grid = drawing::columns_of(timeline, found.makespan, room);
  const std::size_t shown = std::min(grid.size(), room);

  std::string page = "schedule " + std::string(name) + ": " + std::to_string(rows.devices) +
                     " devices, " + std::to_string(rows.stages) + " stages, " +
                     std::to_string(rows.micro_batches) + " micro-batches\n";
  for (int device = 0; device < rows.devices; ++device) {
    page += drawing::padded("device " + std::to_string(device), prefix);
    page += drawing::device_line(rows, timeline, device, grid, shown, cell) + "\n";
  }
  page += drawing::legend(rows, timeline) + "\n";
  page += grid.equal ? "one column is " + drawing::counted(grid.bounds[1], style.clock)
                     : "a column ends where an action starts or ends: columns differ in length";
  if (shown < grid.size()) {
    page += "; " + std::to_string(grid.size() - shown) + " more columns are not shown";
  }
  page += "\n" + drawing::fact_lines(rows, found, style.clock);
  return page;
}

}  // namespace ipu_dsl
