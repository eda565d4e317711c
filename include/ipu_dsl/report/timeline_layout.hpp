// SPDX-License-Identifier: MIT
// Where the parts of a drawn timeline lie on the page.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/report/drawn_timeline.hpp>
#include <ipu_dsl/report/svg_element.hpp>

namespace ipu_dsl {

/// How large a drawn timeline is, and what stands around it. Lengths are pixels.
struct timeline_svg_options {
  int bar_width = 24;         ///< of a typical short action, while the chart is not too wide
  int narrowest_chart = 560;  ///< time from 0 to the makespan
  int widest_chart = 2'800;   ///< bars become narrower, and lose their text, rather than wider
  bool bar_titles = true;     ///< a viewer says what a bar is when one points at it
  bool legend = true;
  bool facts = true;
};

namespace drawing {

using svg::pixels;
using svg::px;

inline constexpr pixels page_margin = px(16);
inline constexpr pixels small_text = px(11);

/// Where everything lies. The chart is the time from 0 to the makespan over all lanes.
struct timeline_layout {
  bool several_stages = false;  ///< a device has more than one, so that bars name theirs
  std::int64_t makespan = 1;    ///< in ticks, at least 1
  pixels chart_left;
  pixels chart_width;
  pixels lanes_top;
  pixels lane_height;
  pixels lane_step;  ///< from one lane to the next
  pixels chart_bottom;

  pixels lane_top(int lane) const { return lanes_top + lane * lane_step; }

  pixels chart_right() const { return chart_left + chart_width; }

  /// The place of a time.
  pixels x_of(std::int64_t ticks) const {
    // A product of both must fit, so that a run of a very fine clock is drawn a little coarser.
    std::int64_t part = ticks;
    std::int64_t whole = makespan;
    while (whole > (std::int64_t{1} << 40)) {
      part /= 2;
      whole /= 2;
    }
    return chart_left + pixels{chart_width.hundredths * part / whole};
  }
};

/// The length that a quarter of all bars that last fall short of: one that most pictures should
/// have room for, without those of a few tiny actions. At least 1.
inline std::int64_t typical_length(const drawn_timeline& drawn) {
  std::vector<std::int64_t> lengths;
  for (const drawn_bar& bar : drawn.bars) {
    if (bar.end > bar.start) {
      lengths.push_back(bar.end - bar.start);
    }
  }
  if (lengths.empty()) {
    return 1;
  }
  const auto quarter = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 4);
  std::nth_element(lengths.begin(), quarter, lengths.end());
  return *quarter;
}

/// How many bars the fullest lane has.
inline std::int64_t most_bars(const drawn_timeline& drawn) {
  list<std::int64_t> count(drawn.lanes.size() + 1);
  for (const drawn_bar& bar : drawn.bars) {
    ++count[bar.lane];
  }
  return *std::max_element(count.begin(), count.end());
}

/// So wide that a typical bar has its width, but not much wider than the bars of a lane would be
/// side by side: where lengths differ much, the short ones go without words.
inline pixels chart_width_of(const drawn_timeline& drawn, const timeline_svg_options& options) {
  const std::int64_t typical = typical_length(drawn);
  const std::int64_t widest =
      std::min<std::int64_t>(options.widest_chart, 3 * most_bars(drawn) * options.bar_width);
  // Compared before it is multiplied, which may not fit for a very short typical action.
  const bool too_wide = drawn.makespan / typical > options.widest_chart;
  const std::int64_t wanted = too_wide ? widest : options.bar_width * drawn.makespan / typical;
  const std::int64_t narrowest = (std::min)(options.narrowest_chart, options.widest_chart);
  return px((std::max)((std::min)(wanted, widest), narrowest));
}

inline timeline_layout lay_out(const drawn_timeline& drawn, const timeline_svg_options& options) {
  timeline_layout page;
  std::size_t longest_name = 0;
  for (const drawn_lane& lane : drawn.lanes) {
    longest_name = (std::max)(longest_name, lane.name.size());
  }
  page.several_stages = std::any_of(drawn.shades.begin(), drawn.shades.end(),
                                    [](const stage_shade& shade) { return shade.of > 1; });
  page.makespan = std::max<std::int64_t>(drawn.makespan, 1);
  page.chart_left = page_margin + svg::text_width(longest_name, px(12)) + px(8);
  page.chart_width = chart_width_of(drawn, options);
  page.lanes_top = px(82);
  page.lane_height = page.several_stages ? px(32) : px(26);
  page.lane_step = page.lane_height + px(5);
  page.chart_bottom = page.lane_top(static_cast<int>(drawn.lanes.size())) - px(5);
  return page;
}

/// The distance of ticks on the axis: 1, 2 or 5 times a power of ten of the clock's ticks, so that
/// labels do not touch.
inline std::int64_t tick_step(const timeline_layout& page) {
  const std::int64_t most = std::max<std::int64_t>(page.chart_width.hundredths / 6'400, 1);
  std::int64_t power = 1;
  for (;; power *= 10) {
    for (const std::int64_t step : {power, 2 * power, 5 * power}) {
      if (page.makespan / step <= most) {
        return step;
      }
    }
  }
}

/// "0", "200k", "1.5": a time on an axis that ends at `makespan`, which decides whether all ticks
/// are shortened by thousands.
inline std::string tick_label(std::int64_t ticks, std::int64_t makespan,
                              std::int64_t ticks_of_unit) {
  struct suffix {
    std::int64_t size;
    const char* letter;
  };

  constexpr suffix suffixes[] = {
      {1'000'000'000'000, "T"}, {1'000'000'000, "G"}, {1'000'000, "M"}, {1'000, "k"}};
  std::int64_t unit = ticks_of_unit;
  std::string ending;
  for (const suffix& shorter : suffixes) {
    if (ending.empty() && makespan / (10 * shorter.size) >= unit) {
      unit *= shorter.size;
      ending = shorter.letter;
    }
  }
  return decimal(ticks, unit) + (ticks == 0 ? "" : ending);
}

}  // namespace drawing

}  // namespace ipu_dsl
