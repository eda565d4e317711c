// SPDX-License-Identifier: MIT
// What stands below a drawn timeline: what its colours mean, and the facts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ipu_dsl/report/action_name.hpp>
#include <ipu_dsl/report/drawn_timeline.hpp>
#include <ipu_dsl/report/svg_element.hpp>
#include <ipu_dsl/report/timeline_layout.hpp>
#include <ipu_dsl/report/timeline_palette.hpp>

namespace ipu_dsl::drawing {

inline constexpr pixels note_line = px(19);
inline constexpr const char* quiet_colour = "#555555";

/// A part of a page, and how far it reaches.
struct drawn_part {
  std::string elements;
  pixels right;
  pixels bottom;
};

/// One entry of the legend: a sample, drawn with its left upper corner at the origin, and words.
struct legend_entry {
  std::string sample;
  pixels sample_width;
  std::string words;
};

inline constexpr pixels sample_height = px(13);

/// The most stages that any device has.
inline int most_shades(const drawn_timeline& drawn) {
  int most = 1;
  for (const stage_shade& shade : drawn.shades) {
    most = (std::max)(most, shade.of);
  }
  return most;
}

/// A kind in all shades that it is drawn in, from dark to light.
inline legend_entry entry_of(action_kind kind, int most) {
  const bool one_colour = colour_of(kind, {most - 1, most}) == colour_of(kind, {0, most});
  const int shades = one_colour ? 1 : most;
  const pixels width = shades > 3 ? px(8) : px(13);
  legend_entry entry{{}, shades * width, std::string(kind_name(kind))};
  for (int place = 0; place < shades; ++place) {
    entry.sample += svg::rectangle(place * width, {}, width, sample_height)
                        .with("fill", hexadecimal(colour_of(kind, {place, shades})))
                        .empty();
  }
  return entry;
}

inline legend_entry idle_entry() {
  return {svg::rectangle({}, {}, px(22), sample_height)
              .with("fill", "url(#idle)")
              .with("stroke", "#cccccc")
              .empty(),
          px(22), "idle (bubble)"};
}

/// Two parts in one frame, as joined actions are drawn.
inline legend_entry joined_entry() {
  const std::string left = svg::rectangle({}, {}, px(12), sample_height)
                               .with("fill", hexadecimal(colour_of(action_kind::forward)))
                               .empty();
  const std::string right = svg::rectangle(px(12), {}, px(12), sample_height)
                                .with("fill", hexadecimal(colour_of(action_kind::backward)))
                                .empty();
  const std::string frame = svg::rectangle({}, {}, px(24), sample_height)
                                .with("fill", "none")
                                .with("stroke", "#111111")
                                .with("stroke-width", svg::px_hundredths(140))
                                .empty();
  return {left + right + frame, px(24), "one step in parts"};
}

inline std::vector<legend_entry> legend_entries(const drawn_timeline& drawn) {
  bool present[action_kinds] = {};
  bool joined = false;
  for (const drawn_bar& bar : drawn.bars) {
    present[static_cast<std::size_t>(bar.what.kind)] = true;
    joined = joined || bar.what.joined;
  }
  std::vector<legend_entry> entries;
  for (int kind = 0; kind < action_kinds; ++kind) {
    if (present[kind]) {
      entries.push_back(entry_of(static_cast<action_kind>(kind), most_shades(drawn)));
    }
  }
  if (joined) {
    entries.push_back(joined_entry());
  }
  entries.push_back(idle_entry());
  return entries;
}

/// What the words and shades of bars mean.
inline std::string reading_note(const drawn_timeline& drawn) {
  const int shades = most_shades(drawn);
  if (shades == 1) {
    return "A number in a bar is its micro-batch.";
  }
  const std::string order = shades == drawn.copies ? "the copies of the weights"
                                                   : "the stages of a device, in ascending order";
  return "In a bar: its micro-batch, and below it its stage. Dark to light: " + order + ".";
}

/// The legend from a line on, with as many lines as it needs up to `right`.
inline drawn_part draw_legend(const drawn_timeline& drawn, pixels left, pixels top, pixels right) {
  drawn_part part{{}, left, top};
  pixels x = left;
  for (const legend_entry& entry : legend_entries(drawn)) {
    const pixels words = svg::text_width(entry.words.size(), small_text);
    const pixels width = entry.sample_width + px(6) + words;
    if (x > left && x + width > right) {
      x = left;
      part.bottom += note_line;
    }
    const std::string place = "translate(" + svg::number(x) + " " + svg::number(part.bottom) + ")";
    part.elements +=
        svg::element("g")
            .with("transform", place)
            .around(entry.sample + svg::text_at(entry.sample_width + px(6), px(11), small_text)
                                       .around_text(entry.words));
    part.right = (std::max)(part.right, x + width);
    x += width + px(18);
  }
  part.bottom += note_line + px(11);
  const std::string note = reading_note(drawn);
  part.elements +=
      svg::text_at(left, part.bottom, small_text).with("fill", quiet_colour).around_text(note);
  part.right = (std::max)(part.right, left + svg::text_width(note.size(), small_text));
  part.bottom += px(8);
  return part;
}

/// The longest of one column of the facts.
inline pixels column_width(const std::vector<fact_text>& lines, std::string fact_text::* column) {
  std::size_t longest = 0;
  for (const fact_text& fact : lines) {
    longest = (std::max)(longest, (fact.*column).size());
  }
  return svg::text_width(longest, small_text);
}

/// The facts as a table: name, value, meaning.
inline drawn_part draw_facts(const drawn_timeline& drawn, pixels left, pixels top) {
  drawn_part part{{}, left, top};
  const pixels values = left + column_width(drawn.fact_lines, &fact_text::name) + px(12);
  for (const fact_text& fact : drawn.fact_lines) {
    part.bottom += note_line;
    part.elements += svg::text_at(left, part.bottom, small_text)
                         .with("fill", quiet_colour)
                         .around_text(fact.name);
    const std::string meaning = fact.meaning.empty() ? "" : " (" + fact.meaning + ")";
    part.elements +=
        svg::text_at(values, part.bottom, small_text).around_text(fact.value + meaning);
    const std::size_t letters = fact.value.size() + meaning.size();
    part.right = (std::max)(part.right, values + svg::text_width(letters, small_text));
  }
  return part;
}

}  // namespace ipu_dsl::drawing
