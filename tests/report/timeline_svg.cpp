// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/report/timeline_svg.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "report/golden.hpp"
#include "report/programs.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

std::size_t count_of(std::string_view text, std::string_view words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + words.size())) {
    ++count;
  }
  return count;
}

bool is_known_entity(std::string_view text, std::size_t at) {
  for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
    if (text.substr(at).starts_with(entity)) {
      return true;
    }
  }
  return false;
}

/// The number of elements of XML as we write it, or -1 if tags are not balanced, an attribute is
/// not quoted, there are two roots, or a "&" or "<" stands where it may not.
int element_count(std::string_view text) {
  std::vector<std::string_view> open;
  int count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '&' && !is_known_entity(text, at)) {
      return -1;
    }
    if (text[at] != '<') {
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) {
      return -1;
    }
    const std::string_view tag = text.substr(at + 1, end - at - 1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) {
        return -1;
      }
      open.pop_back();
    } else {
      if (count_of(tag, "\"") % 2 != 0 || tag.find('<') != std::string_view::npos ||
          (open.empty() && count > 0)) {
        return -1;
      }
      ++count;
      if (!tag.ends_with('/')) {
        open.push_back(name);
      }
    }
    at = end;
  }
  return open.empty() ? count : -1;
}

/// The rectangles of a class.
struct drawn_rectangle {
  double x;
  double y;
  double width;
  double height;
  std::string fill;
};

std::string attribute(std::string_view tag, std::string_view name) {
  const std::string begin = " " + std::string(name) + "=\"";
  const std::size_t at = tag.find(begin);
  REQUIRE(at != std::string_view::npos);
  const std::size_t from = at + begin.size();
  return std::string(tag.substr(from, tag.find('"', from) - from));
}

std::vector<drawn_rectangle> rectangles_of(std::string_view page, std::string_view kind) {
  std::vector<drawn_rectangle> found;
  const std::string marked = "class=\"" + std::string(kind) + "\"";
  for (std::size_t at = page.find("<rect"); at != std::string_view::npos;
       at = page.find("<rect", at + 1)) {
    const std::string_view tag = page.substr(at, page.find('>', at) - at);
    if (tag.find(marked) != std::string_view::npos) {
      found.push_back({std::stod(attribute(tag, "x")), std::stod(attribute(tag, "y")),
                       std::stod(attribute(tag, "width")), std::stod(attribute(tag, "height")),
                       attribute(tag, "fill")});
    }
  }
  return found;
}

/// What every picture must be.
void check_page(const drawn_timeline& drawn, const std::string& page) {
  CHECK(element_count(page) > 0);
  CHECK(count_of(page, "class=\"bar\"") == drawn.bars.size());
  CHECK(count_of(page, "class=\"lane\"") == drawn.lanes.size());
  CHECK(count_of(page, "<title>") == drawn.bars.size() + 1);
  CHECK(page.find("modelled estimate") != std::string::npos);
  for (const char* outside : {"<script", "href", "@font-face", "<style", "<image"}) {
    CHECK(page.find(outside) == std::string::npos);
  }
}

/// Bars lie in lanes, do not overlap, and are as long as their lanes are busy.
int check_lengths(const drawn_timeline& drawn, const std::string& page) {
  const std::vector<drawn_rectangle> lanes = rectangles_of(page, "lane");
  const std::vector<drawn_rectangle> bars = rectangles_of(page, "bar");
  REQUIRE(lanes.size() == drawn.lanes.size());
  REQUIRE(bars.size() == drawn.bars.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    double free_at = lanes[i].x;
    double sum = 0;
    double tolerance = 0;
    while (next < bars.size() && drawn.bars[next].lane == static_cast<int>(i)) {
      CHECK(bars[next].y == lanes[i].y);
      CHECK(bars[next].height == lanes[i].height);
      CHECK(bars[next].x >= free_at - 0.011);
      free_at = bars[next].x + bars[next].width;
      sum += bars[next].width;
      tolerance += 0.011;
      ++next;
    }
    CHECK(free_at <= lanes[i].x + lanes[i].width + 0.011);
    const double busy = lanes[i].width * static_cast<double>(drawn.lanes[i].busy) /
                        static_cast<double>(drawn.makespan);
    CHECK(std::abs(sum - busy) <= tolerance);
  }
  return static_cast<int>(next);
}

/// How wide text of digits and of the letters U and s is in a font, in parts of 2048 of its size.
struct font_widths {
  int digit;
  int update;
  int stage;

  double of(std::string_view words, double size) const {
    int sum = 0;
    for (const char letter : words) {
      sum += letter == 'U' ? update : letter == 's' ? stage : digit;
    }
    return size * sum / 2'048;
  }
};

/// The advances that the fonts' own tables say: Helvetica and Arial, which have the same, and
/// DejaVu Sans.
constexpr font_widths fonts[] = {{1'139, 1'479, 1'024}, {1'303, 1'499, 1'067}};

/// Labels that were looked at, and those that come nearer to an end of their bar than a pixel.
struct labels_seen {
  int labels = 0;
  int too_wide = 0;
};

/// What stands behind the rectangle of each bar are its words, centred in it.
labels_seen labels_of_bars(std::string_view page) {
  labels_seen seen;
  const auto skip = [&page](std::size_t at) {
    return (std::min)(page.find_first_not_of("\n ", at), page.size());
  };
  for (std::size_t at = page.find("class=\"bar\""); at != std::string_view::npos;
       at = page.find("class=\"bar\"", at)) {
    const std::size_t begin = page.rfind('<', at);
    const std::string_view bar = page.substr(begin, page.find('>', at) - begin);
    const double left = std::stod(attribute(bar, "x"));
    const double width = std::stod(attribute(bar, "width"));
    constexpr std::string_view end_of_bar = "</rect>";
    at = skip(page.find(end_of_bar, at) + end_of_bar.size());
    while (page.substr(at).starts_with("<text")) {
      const std::size_t words_at = page.find('>', at) + 1;
      const std::string_view tag = page.substr(at, words_at - at);
      const std::string_view words = page.substr(words_at, page.find('<', words_at) - words_at);
      REQUIRE(words.find_first_not_of("0123456789Us") == std::string_view::npos);
      CHECK(std::abs(std::stod(attribute(tag, "x")) - left - width / 2) < 0.011);
      double widest = 0;
      for (const font_widths& font : fonts) {
        widest = (std::max)(widest, font.of(words, std::stod(attribute(tag, "font-size"))));
      }
      ++seen.labels;
      seen.too_wide += widest + 2 > width ? 1 : 0;
      at = skip(page.find("</text>", at) + std::string_view("</text>").size());
    }
  }
  return seen;
}

template <typename Schedule>
int check_schedule(int stages, int micro_batches) {
  const drawn_timeline drawn = draw_schedule<Schedule>(
      stages, micro_batches,
      {.forward = 3, .input_gradient = 2, .weight_gradient = 4, .update = 2});
  const std::string page = timeline_svg(drawn);
  check_page(drawn, page);
  return check_lengths(drawn, page);
}

}  // namespace

TEST_CASE("the checker of XML finds what is wrong") {
  CHECK(element_count("<a><b x=\"1\"/>text &amp; text</a>\n") == 2);
  for (const char* wrong :
       {"<a>", "<a></b>", "<a/><b/>", "<a x=\"1/>", "<a>&</a>", "<a>&nbsp;</a>", "</a>", "<a"}) {
    CHECK(element_count(wrong) == -1);
  }
}

TEST_CASE("a picture has every bar, in its lane, as long as its action") {
  int bars = 0;
  for (const int stages : {2, 3, 4, 8, 16}) {
    for (const int rounds : {1, 2, 4}) {
      bars += check_schedule<grouped>(stages, 2 * stages * rounds);
      bars += check_schedule<interleaved>(stages, 2 * stages * rounds);
      bars += check_schedule<sequential_schedule>(stages, stages);
    }
  }
  CHECK(bars > 10'000);
  std::printf("checked %d bars\n", bars);
}

TEST_CASE("pictures are those that people have looked at") {
  check_golden("interleaved.svg", timeline_svg(draw_schedule<interleaved>(4, 8)));
  check_golden("split.svg", timeline_svg(draw_back_to_back(split_program(true), "split, joined")));
  check_golden("all_kinds.svg",
               timeline_svg(draw_back_to_back(all_kinds_program(), "every kind of action")));
}

TEST_CASE("words in a picture are escaped") {
  drawn_timeline drawn = draw_back_to_back(split_program(false), "mlp<2> & \"friends\"\x01");
  drawn.lanes[0].name = "</svg>";
  drawn.fact_lines.push_back({"<b>", "&amp;", "a < b"});
  const std::string page = timeline_svg(drawn);
  check_page(drawn, page);
  CHECK(count_of(page, "mlp&lt;2&gt; &amp; &quot;friends&quot;?") == 2);
  CHECK(page.find(">&lt;/svg&gt;<") != std::string::npos);
  CHECK(page.find(">&lt;b&gt;<") != std::string::npos);
  CHECK(page.find(">&amp;amp; (a &lt; b)<") != std::string::npos);
}

TEST_CASE("a picture says in words what it is, and every fact") {
  drawn_timeline drawn = draw_schedule<interleaved>(2, 4);
  const std::string page = timeline_svg(drawn);
  CHECK(page.find("2 devices, 2 stages, 4 micro-batches; modelled estimate, time in units") !=
        std::string::npos);
  CHECK(page.find(">time in units (modelled estimate)<") != std::string::npos);
  CHECK(page.find("<title>B1(3): backward of stage 1 on micro-batch 3, 11 to 13 units</title>") !=
        std::string::npos);
  CHECK(drawn.fact_lines.size() == 8);
  for (const fact_text& fact : drawn.fact_lines) {
    CHECK(page.find(">" + svg::escaped(fact.name) + "<") != std::string::npos);
    CHECK(page.find(">" + svg::escaped(fact.value)) != std::string::npos);
  }
  drawn.clock = {time_source::measured, "microseconds", 1'000};
  const std::string measured = timeline_svg(drawn);
  CHECK(measured.find("; measured, time in microseconds<") != std::string::npos);
  CHECK(measured.find(">time in microseconds (measured)<") != std::string::npos);
  CHECK(measured.find("estimate") == std::string::npos);
}

TEST_CASE("what surrounds the bars can be left out") {
  const drawn_timeline drawn = draw_schedule<interleaved>(2, 4);
  const std::string bare =
      timeline_svg(drawn, {.bar_titles = false, .legend = false, .facts = false});
  CHECK(element_count(bare) > 0);
  CHECK(count_of(bare, "class=\"bar\"") == drawn.bars.size());
  CHECK(count_of(bare, "<title>") == 1);
  CHECK(bare.find("idle (bubble)") == std::string::npos);
  CHECK(bare.find("makespan") == std::string::npos);
  CHECK(timeline_svg(drawn).find("idle (bubble)") != std::string::npos);
}

TEST_CASE("bars without room have no words") {
  const drawn_timeline drawn = draw_schedule<interleaved>(4, 8);
  const timeline_svg_options wide{.legend = false, .facts = false};
  const timeline_svg_options narrow{.widest_chart = 100, .legend = false, .facts = false};
  const std::size_t updates = 4;
  CHECK(count_of(timeline_svg(drawn, wide), "fill=\"#ffffff\">") == drawn.bars.size() - updates);
  CHECK(count_of(timeline_svg(drawn, narrow), "fill=\"#ffffff\">") == 0);
  CHECK(count_of(timeline_svg(drawn, narrow), "class=\"bar\"") == drawn.bars.size());
}

TEST_CASE("no label is wider than its bar, whichever font a viewer has") {
  int labels = 0;
  int bars = 0;
  for (const int width : {200, 400, 700, 1'000, 1'600, 2'400}) {
    const timeline_svg_options options{
        .narrowest_chart = 100, .widest_chart = width, .legend = false, .facts = false};
    for (const std::int64_t update : {0, 2}) {
      const stage_cost cost = {.forward = 2, .input_gradient = 3, .update = update};
      for (const drawn_timeline& drawn :
           {draw_schedule<interleaved>(2, 12, cost), draw_schedule<grouped>(4, 120, cost),
            draw_schedule<interleaved>(1, 1'100, cost),
            draw_back_to_back(split_program(true), "joined", cost)}) {
        const labels_seen seen = labels_of_bars(timeline_svg(drawn, options));
        CHECK(seen.too_wide == 0);
        labels += seen.labels;
        bars += static_cast<int>(drawn.bars.size());
      }
    }
  }
  CHECK(labels > 2'000);
  CHECK(labels < bars);
  std::printf("checked %d labels of %d bars\n", labels, bars);
}

TEST_CASE("joined actions are one bar in parts") {
  const program rows = split_program(true);
  const drawn_timeline drawn = draw_back_to_back(rows, "joined");
  const std::string page = timeline_svg(drawn);
  check_page(drawn, page);
  CHECK(check_lengths(drawn, page) == static_cast<int>(rows.actions.size()));
  const std::vector<drawn_rectangle> steps = rectangles_of(page, "step");
  REQUIRE(steps.size() == 4);
  const std::vector<drawn_rectangle> bars = rectangles_of(page, "bar");
  // Device 0 joins its bars 5 and 6, the weight gradient of one micro-batch and the next forward.
  CHECK(steps[0].x == bars[5].x);
  CHECK(std::abs(steps[0].width - bars[5].width - bars[6].width) < 0.011);
  CHECK(page.find("one step in parts") != std::string::npos);
  const std::string apart = timeline_svg(draw_back_to_back(split_program(false), "apart"));
  CHECK(rectangles_of(apart, "step").empty());
  CHECK(apart.find("one step in parts") == std::string::npos);
}

TEST_CASE("joined actions at the same time share the height of their lane") {
  drawn_timeline drawn = draw_back_to_back(split_program(true), "at the same time");
  drawn.bars[6].start = drawn.bars[5].start;
  drawn.bars[6].end = drawn.bars[5].end;
  const std::string page = timeline_svg(drawn);
  const std::vector<drawn_rectangle> bars = rectangles_of(page, "bar");
  const double height = rectangles_of(page, "lane")[0].height;
  CHECK(bars[5].height == height / 2);
  CHECK(bars[6].height == height / 2);
  CHECK(bars[6].y == bars[5].y + height / 2);
  CHECK(rectangles_of(page, "step")[0].height == height);
}

TEST_CASE("stages of a device have shades of their own, and are named") {
  const drawn_timeline drawn = draw_back_to_back(split_program(false), "shades");
  const std::string page = timeline_svg(drawn);
  const std::vector<drawn_rectangle> bars = rectangles_of(page, "bar");
  CHECK(drawn.bars[0].what.stage == 0);
  CHECK(drawn.bars[3].what.stage == 3);
  CHECK(bars[0].fill == "#0072b2");
  CHECK(bars[3].fill != bars[0].fill);
  CHECK(page.find(">s3<") != std::string::npos);
  CHECK(page.find("Dark to light: the stages of a device, in ascending order.") !=
        std::string::npos);
  drawn_timeline copies = drawn;
  copies.copies = 2;
  CHECK(timeline_svg(copies).find("Dark to light: the copies of the weights.") !=
        std::string::npos);
}

namespace {

constexpr bool test_palette() {
  static_assert(drawing::shaded({0, 100, 200}, {0, 1}) == drawing::colour{0, 100, 200});
  static_assert(drawing::shaded({0, 100, 200}, {0, 3}) == drawing::colour{0, 100, 200});
  static_assert(drawing::shaded({0, 100, 200}, {2, 3}) == drawing::colour{127, 177, 227});
  static_assert(drawing::text_on({0, 0, 0}) == drawing::colour{255, 255, 255});
  static_assert(drawing::text_on({255, 255, 255}) == drawing::colour{17, 17, 17});
  return true;
}

static_assert(test_palette());

/// The relative luminance of WCAG 2.
double luminance(const drawing::colour& shown) {
  const auto linear = [](int part) {
    const double share = part / 255.0;
    return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(shown.red) + 0.7152 * linear(shown.green) + 0.0722 * linear(shown.blue);
}

double contrast(const drawing::colour& left, const drawing::colour& right) {
  const double one = luminance(left) + 0.05;
  const double other = luminance(right) + 0.05;
  return one > other ? one / other : other / one;
}

}  // namespace

TEST_CASE("every kind and shade has a colour of its own that its words are read on") {
  CHECK(test_palette());
  int checked = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    std::set<std::string> colours;
    std::size_t computing = 0;
    for (int number = 0; number < action_kinds; ++number) {
      const auto kind = static_cast<action_kind>(number);
      for (int place = 0; place < stages; ++place) {
        const drawing::colour ground = drawing::colour_of(kind, {place, stages});
        colours.insert(drawing::hexadecimal(ground));
        CHECK(contrast(ground, drawing::text_on(ground)) >= 3.0);
        ++checked;
      }
      computing += kind < action_kind::update ? static_cast<std::size_t>(stages) : 1;
    }
    CHECK(colours.size() == computing);
  }
  CHECK(checked == 36 * action_kinds);
  std::printf("checked %d colours\n", checked);
}

TEST_CASE("an axis has few, round ticks") {
  drawing::timeline_layout page;
  page.chart_width = svg::px(640);
  int checked = 0;
  for (std::int64_t makespan = 1; makespan < 4'000'000'000'000'000;
       makespan = makespan * 7 / 3 + 1) {
    page.makespan = makespan;
    const std::int64_t step = drawing::tick_step(page);
    CHECK(makespan / step <= 10);
    CHECK((step == 1 || makespan / step >= 4));
    std::int64_t digits = step;
    while (digits % 10 == 0) {
      digits /= 10;
    }
    CHECK((digits == 1 || digits == 2 || digits == 5));
    CHECK(drawing::tick_label(makespan / step * step, makespan, 1).size() <= 7);
    ++checked;
  }
  CHECK(checked > 30);
  std::printf("checked %d axes\n", checked);
}

TEST_CASE("ticks are labelled in units, and long ones in thousands") {
  CHECK(drawing::tick_label(0, 10, 1) == "0");
  CHECK(drawing::tick_label(5'000, 9'999, 1) == "5000");
  CHECK(drawing::tick_label(5'000, 10'000, 1) == "5k");
  CHECK(drawing::tick_label(0, 10'000, 1) == "0");
  CHECK(drawing::tick_label(1'200'000, 1'300'000, 1) == "1200k");
  CHECK(drawing::tick_label(12'500'000, 13'000'000, 1) == "12.5M");
  CHECK(drawing::tick_label(1'500, 4'000, 1'000) == "1.5");
  CHECK(drawing::tick_label(50, 400, 1'000) == "0.05");
  CHECK(drawing::tick_label(20'000'000, 30'000'000, 1'000) == "20k");
}

TEST_CASE("very long, empty and instantaneous runs are drawn") {
  const std::int64_t year = 31'536'000'000'000'000;
  const drawn_timeline slow = draw_schedule<interleaved>(
      2, 4, {.forward = year, .input_gradient = year, .weight_gradient = year, .update = year});
  const std::string page = timeline_svg(slow);
  check_page(slow, page);
  CHECK(check_lengths(slow, page) == 18);

  program nothing(2, neighbouring_placement(2, 2), 0);
  nothing.end_row();
  nothing.end_row();
  const drawn_timeline empty = draw_timeline(nothing.view(), {}, "nothing");
  check_page(empty, timeline_svg(empty));

  const drawn_timeline instant = draw_back_to_back(
      split_program(true), "instant", {.forward = 0, .input_gradient = 0, .weight_gradient = 0});
  check_page(instant, timeline_svg(instant));
}
