// SPDX-License-Identifier: MIT
// The bars of a drawn timeline: what each device does, and when.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <ipu_dsl/report/action_name.hpp>
#include <ipu_dsl/report/drawn_timeline.hpp>
#include <ipu_dsl/report/svg_element.hpp>
#include <ipu_dsl/report/timeline_layout.hpp>
#include <ipu_dsl/report/timeline_palette.hpp>

namespace ipu_dsl::drawing {

/// How wide a bar is that lasts no time: a line that is seen.
inline constexpr pixels instant_width = svg::px_hundredths(200);

/// How wide a bar is at least, however short: what happened is seen.
inline constexpr pixels least_width = svg::px_hundredths(50);

/// The place of a bar on the page.
struct bar_box {
  pixels left;
  pixels top;
  pixels width;
  pixels height;
};

/// A device does joined actions as one step: bars [first, last] of it.
struct bar_group {
  std::size_t first = 0;
  std::size_t last = 0;

  bool joined() const { return last > first; }
};

/// The step that begins with a bar.
inline bar_group group_at(const drawn_timeline& drawn, std::size_t first) {
  bar_group group{first, first};
  while (drawn.bars[group.last].what.joined && group.last + 1 < drawn.bars.size() &&
         drawn.bars[group.last + 1].lane == drawn.bars[first].lane) {
    ++group.last;
  }
  return group;
}

/// Whether actions of a step run at the same time, so that their bars must share the lane's height.
inline bool overlaps(const drawn_timeline& drawn, const bar_group& group) {
  for (std::size_t i = group.first; i < group.last; ++i) {
    if (drawn.bars[i + 1].start < drawn.bars[i].end) {
      return true;
    }
  }
  return false;
}

inline bar_box box_of(const timeline_layout& page, const drawn_bar& bar) {
  const pixels left = page.x_of(bar.start);
  bar_box box{left, page.lane_top(bar.lane), (std::max)(page.x_of(bar.end) - left, least_width),
              page.lane_height};
  if (bar.end == bar.start) {
    box.left = left - instant_width / 2;
    box.width = instant_width;
  }
  return box;
}

/// "F2(5): forward of stage 2 on micro-batch 5, 10 to 12 units"
inline std::string bar_title(const drawn_timeline& drawn, const drawn_bar& bar) {
  const action& what = bar.what;
  std::string words(describe(what).view());
  words += ": " + std::string(kind_name(what.kind)) + " of stage " + std::to_string(what.stage);
  if (what.kind != action_kind::update) {
    words += " on micro-batch " + std::to_string(what.micro_batch);
  }
  return words + ", " + time_text(bar.start, drawn.clock.ticks_of_unit) + " to " +
         time_text(bar.end, drawn.clock.ticks_of_unit) + " " + drawn.clock.unit;
}

/// What is written in a bar: its micro-batch; of an update its letter.
inline std::string bar_label(const action& what) {
  if (what.kind != action_kind::update) {
    return std::to_string(what.micro_batch);
  }
  return what.micro_batch == 0 ? "U" : "U" + std::to_string(what.micro_batch);
}

/// How wide a letter of a label is, in hundredths of its size: of all fonts that a page names, in
/// the widest, since nobody knows which one a viewer has.
constexpr std::int64_t letter_width(char letter) {
  if (letter >= '0' && letter <= '9') {
    return 64;
  }
  return letter == 's' ? 53 : 74;
}

/// The most that the words of a bar take: digits, and the letters of updates and stages.
constexpr pixels label_width(std::string_view words, pixels size) {
  std::int64_t letters = 0;
  for (const char letter : words) {
    letters += letter_width(letter);
  }
  return letters * size / 100;
}

/// What stays free on either side of a label: as much as a bar that lasts no time covers.
inline constexpr pixels label_margin = instant_width / 2;

/// Whether words stand in a bar of a width without touching its ends.
constexpr bool fits(std::string_view words, pixels size, pixels width) {
  return label_width(words, size) + 2 * label_margin <= width;
}

/// The largest size in which words fit into a width, or 0.
constexpr pixels fitting_size(std::string_view words, pixels width) {
  for (const pixels size : {px(12), px(10), px(8)}) {
    if (fits(words, size, width)) {
      return size;
    }
  }
  return {};
}

inline std::string centred(const std::string& words, pixels middle, pixels baseline, pixels size,
                           const colour& shown) {
  return svg::text_at(middle, baseline, size)
      .with("text-anchor", "middle")
      .with("fill", hexadecimal(shown))
      .around_text(words);
}

/// The words in a bar, as many as it has room for: the micro-batch, and below it the stage where a
/// device has several.
inline std::string words_in(const timeline_layout& page, const action& what, const bar_box& box,
                            const colour& shown) {
  const std::string label = bar_label(what);
  const pixels size = fitting_size(label, box.width);
  if (size == pixels{} || size > box.height) {
    return {};
  }
  const pixels middle = box.left + box.width / 2;
  const std::string stage = "s" + std::to_string(what.stage);
  constexpr pixels stage_size = px(8);
  const bool two_lines =
      page.several_stages && fits(stage, stage_size, box.width) && box.height >= px(26);
  // Digits are about 0.72 of their size high.
  const pixels half_height = 36 * size / 100;
  if (!two_lines) {
    return centred(label, middle, box.top + box.height / 2 + half_height, size, shown);
  }
  return centred(label, middle, box.top + 2 * box.height / 5 + half_height, size, shown) +
         centred(stage, middle, box.top + box.height - px(4), stage_size, shown);
}

/// One bar: a rectangle, its words, and what a viewer says about it.
inline std::string draw_bar(const drawn_timeline& drawn, const timeline_layout& page,
                            const drawn_bar& bar, const bar_box& box, bool with_title) {
  const stage_shade& shade = drawn.shades[static_cast<std::size_t>(bar.what.stage)];
  const colour ground = colour_of(bar.what.kind, shade);
  svg::element shape = svg::rectangle(box.left, box.top, box.width, box.height);
  shape.with("class", "bar").with("fill", hexadecimal(ground));
  if (box.width > px(3)) {
    // Neighbours of one colour are told apart by a line between them.
    shape.with("stroke", "#ffffff").with("stroke-width", svg::px_hundredths(80));
  }
  const std::string title =
      with_title ? svg::element("title").around_text(bar_title(drawn, bar)) : std::string();
  return (title.empty() ? shape.empty() : shape.around(title)) +
         words_in(page, bar.what, box, text_on(ground));
}

/// The bars of a step, side by side or, if they run at the same time, one below the other.
inline std::string draw_group(const drawn_timeline& drawn, const timeline_layout& page,
                              const bar_group& group, bool with_titles) {
  const auto parts = static_cast<std::int64_t>(group.last - group.first + 1);
  const bool shares_height = overlaps(drawn, group);
  std::string elements;
  for (std::size_t i = group.first; i <= group.last; ++i) {
    bar_box box = box_of(page, drawn.bars[i]);
    if (shares_height) {
      box.height = page.lane_height / parts;
      box.top += static_cast<std::int64_t>(i - group.first) * box.height;
    }
    elements += draw_bar(drawn, page, drawn.bars[i], box, with_titles);
  }
  return elements;
}

/// The frame that makes one bar of the parts of a step.
inline std::string draw_frame(const drawn_timeline& drawn, const timeline_layout& page,
                              const bar_group& group) {
  const bar_box first = box_of(page, drawn.bars[group.first]);
  pixels right;
  for (std::size_t i = group.first; i <= group.last; ++i) {
    const bar_box box = box_of(page, drawn.bars[i]);
    right = (std::max)(right, box.left + box.width);
  }
  return svg::rectangle(first.left, first.top, right - first.left, first.height)
      .with("class", "step")
      .with("fill", "none")
      .with("stroke", "#111111")
      .with("stroke-width", svg::px_hundredths(140))
      .empty();
}

/// All bars; on top of them those that last no time, and the frames.
inline std::string draw_bars(const drawn_timeline& drawn, const timeline_layout& page,
                             bool with_titles) {
  std::string lasting;
  std::string instants;
  std::string frames;
  for (std::size_t i = 0; i < drawn.bars.size(); ++i) {
    const bar_group group = group_at(drawn, i);
    const drawn_bar& bar = drawn.bars[i];
    const bool instant = !group.joined() && bar.start == bar.end;
    (instant ? instants : lasting) += draw_group(drawn, page, group, with_titles);
    frames += group.joined() ? draw_frame(drawn, page, group) : std::string();
    i = group.last;
  }
  return lasting + instants + frames;
}

}  // namespace ipu_dsl::drawing
