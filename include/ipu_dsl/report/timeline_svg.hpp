// SPDX-License-Identifier: MIT
// A drawn timeline as an SVG file that needs nothing else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <ipu_dsl/report/drawn_timeline.hpp>
#include <ipu_dsl/report/svg_element.hpp>
#include <ipu_dsl/report/timeline_bars.hpp>
#include <ipu_dsl/report/timeline_layout.hpp>
#include <ipu_dsl/report/timeline_notes.hpp>

namespace ipu_dsl {

namespace drawing {

/// The columns at the right of the lanes.
inline constexpr pixels busy_column = px(62);
inline constexpr pixels stash_column = px(50);

/// Title, and below it the counts, the clock and whether it is an estimate.
inline drawn_part draw_head(const drawn_timeline& drawn) {
  const std::string line = drawn.subtitle + (drawn.subtitle.empty() ? "" : "; ") +
                           std::string(describe(drawn.clock.source)) + ", time in " +
                           drawn.clock.unit;
  drawn_part part;
  part.elements =
      svg::text_at(page_margin, px(32), px(18))
          .with("font-weight", "bold")
          .around_text(drawn.title) +
      svg::text_at(page_margin, px(52), px(12)).with("fill", quiet_colour).around_text(line);
  part.right = page_margin + (std::max)(svg::text_width(drawn.title.size(), px(18)),
                                        svg::text_width(line.size(), px(12)));
  part.bottom = px(58);
  return part;
}

/// Hatching for the time in which nothing runs.
inline std::string idle_pattern() {
  const std::string ground = svg::rectangle({}, {}, px(6), px(6)).with("fill", "#f6f6f6").empty();
  const std::string stripe =
      svg::element("path").with("d", "M-1 1l2-2M0 6l6-6M5 7l2-2").with("stroke", "#cfcfcf").empty();
  return svg::element("defs").around(svg::element("pattern")
                                         .with("id", "idle")
                                         .with("width", "6")
                                         .with("height", "6")
                                         .with("patternUnits", "userSpaceOnUse")
                                         .around(ground + stripe));
}

/// The words at the right of a lane, or above all of them.
inline std::string draw_columns(const timeline_layout& page, pixels baseline,
                                const std::string& busy, const std::string& stash) {
  const auto column = [&](pixels right, const std::string& words) {
    return svg::text_at(right, baseline, small_text)
        .with("text-anchor", "end")
        .with("fill", quiet_colour)
        .around_text(words);
  };
  const pixels middle = page.chart_right() + busy_column;
  return column(middle, busy) + (stash.empty() ? "" : column(middle + stash_column, stash));
}

/// Names of lanes, their ground, and what is known of each: how busy it is, what it keeps.
inline std::string draw_lanes(const drawn_timeline& drawn, const timeline_layout& page) {
  const bool keeps = std::any_of(drawn.lanes.begin(), drawn.lanes.end(),
                                 [](const drawn_lane& lane) { return lane.stash > 0; });
  std::string elements = draw_columns(page, page.lanes_top - px(7), "busy", keeps ? "stash" : "");
  for (std::size_t i = 0; i < drawn.lanes.size(); ++i) {
    const drawn_lane& lane = drawn.lanes[i];
    const pixels top = page.lane_top(static_cast<int>(i));
    const pixels baseline = top + page.lane_height / 2 + px(4);
    elements += svg::text_at(page.chart_left - px(8), baseline, px(12))
                    .with("text-anchor", "end")
                    .around_text(lane.name);
    elements += svg::rectangle(page.chart_left, top, page.chart_width, page.lane_height)
                    .with("class", "lane")
                    .with("fill", "url(#idle)")
                    .empty();
    const double share = static_cast<double>(lane.busy) / static_cast<double>(page.makespan);
    elements += draw_columns(page, baseline, percent(share),
                             keeps ? std::to_string(lane.stash) : std::string());
  }
  return elements;
}

/// The axis of time with its ticks, and what it counts.
inline drawn_part draw_axis(const drawn_timeline& drawn, const timeline_layout& page) {
  const pixels y = page.chart_bottom + px(6);
  drawn_part part;
  part.elements = svg::line(page.chart_left, y, page.chart_right(), y).empty();
  const std::int64_t step = tick_step(page);
  for (std::int64_t ticks = 0; ticks <= page.makespan; ticks += step) {
    const pixels x = page.x_of(ticks);
    part.elements += svg::line(x, y, x, y + px(5)).empty();
    part.elements += svg::text_at(x, y + px(17), small_text)
                         .with("text-anchor", "middle")
                         .with("stroke", "none")
                         .around_text(tick_label(ticks, page.makespan, drawn.clock.ticks_of_unit));
  }
  const std::string title =
      "time in " + drawn.clock.unit + " (" + std::string(describe(drawn.clock.source)) + ")";
  part.elements = svg::element("g").with("stroke", "#333333").around(part.elements) +
                  svg::text_at(page.chart_left + page.chart_width / 2, y + px(34), small_text)
                      .with("text-anchor", "middle")
                      .around_text(title);
  part.right = page.chart_right() + busy_column + stash_column;
  part.bottom = y + px(34);
  return part;
}

}  // namespace drawing

/// A timeline as an SVG file: a lane a device, a bar an action in the colour of its kind, hatching
/// where a device waits, a legend, and the facts. It stands alone: no fonts, scripts or styles are
/// loaded, and its text says whether times are a modelled estimate or measured.
inline std::string timeline_svg(const drawn_timeline& drawn,
                                const timeline_svg_options& options = {}) {
  const drawing::timeline_layout page = drawing::lay_out(drawn, options);
  const drawing::drawn_part head = drawing::draw_head(drawn);
  const drawing::drawn_part axis = drawing::draw_axis(drawn, page);
  std::string elements = svg::element("title").around_text(drawn.title) + drawing::idle_pattern() +
                         svg::element("rect")
                             .with("width", "100%")
                             .with("height", "100%")
                             .with("fill", "#ffffff")
                             .empty() +
                         head.elements + drawing::draw_lanes(drawn, page) +
                         drawing::draw_bars(drawn, page, options.bar_titles) + axis.elements;
  svg::pixels right = (std::max)(head.right, axis.right);
  svg::pixels bottom = axis.bottom;
  if (options.legend) {
    const drawing::drawn_part legend =
        drawing::draw_legend(drawn, page.chart_left, bottom + svg::px(16), axis.right);
    elements += legend.elements;
    right = (std::max)(right, legend.right);
    bottom = legend.bottom;
  }
  if (options.facts) {
    const drawing::drawn_part facts =
        drawing::draw_facts(drawn, page.chart_left, bottom + svg::px(4));
    elements += facts.elements;
    right = (std::max)(right, facts.right);
    bottom = facts.bottom;
  }
  const svg::pixels width = right + drawing::page_margin;
  const svg::pixels height = bottom + drawing::page_margin;
  return svg::element("svg")
      .with("xmlns", "http://www.w3.org/2000/svg")
      .sized(width, height)
      .with("viewBox", "0 0 " + svg::number(width) + " " + svg::number(height))
      .with("font-family", "Helvetica, Arial, 'DejaVu Sans', sans-serif")
      .with("fill", "#111111")
      .around(elements);
}

}  // namespace ipu_dsl
