// SPDX-License-Identifier: MIT
// A drawn timeline in the trace event format, which Perfetto and Chrome's about:tracing open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/report/action_name.hpp>
#include <ipu_dsl/report/drawn_timeline.hpp>

namespace ipu_dsl {

namespace drawing {

/// A string of JSON, with its quotes; a question mark for each byte that is no UTF-8.
inline std::string json_string(std::string_view words) {
  std::string safe = "\"";
  for (const char letter : whole_characters(words)) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      safe += '\\';
      safe += letter;
    } else if (code < 0x20) {
      safe += "\\u00";
      safe += "0123456789abcdef"[code / 16];
      safe += "0123456789abcdef"[code % 16];
    } else {
      safe += letter;
    }
  }
  return safe + '"';
}

/// `"name": value`, the value being JSON already.
inline std::string json_member(std::string_view name, const std::string& value) {
  return json_string(name) + ": " + value;
}

/// What a viewer calls the run, with what its microseconds stand for.
inline std::string process_event(const drawn_timeline& drawn) {
  const std::string name = drawn.title + " (" + std::string(describe(drawn.clock.source)) +
                           ", time in " + drawn.clock.unit + ")";
  return R"({"ph": "M", "pid": 0, "name": "process_name", "args": {"name": )" + json_string(name) +
         "}}";
}

/// What a viewer calls a lane, and where it stands among the others.
inline std::string lane_events(const drawn_timeline& drawn, int lane) {
  const std::string begin =
      R"({"ph": "M", "pid": 0, "tid": )" + std::to_string(lane) + R"(, "name": )";
  const std::string& name = drawn.lanes[static_cast<std::size_t>(lane)].name;
  return begin + R"("thread_name", "args": {"name": )" + json_string(name) + "}},\n" + begin +
         R"("thread_sort_index", "args": {"sort_index": )" + std::to_string(lane) + "}}";
}

/// One action as a complete event ("X").
inline std::string bar_event(const drawn_timeline& drawn, const drawn_bar& bar) {
  const action& what = bar.what;
  const std::int64_t unit = drawn.clock.ticks_of_unit;
  return R"({"ph": "X", "pid": 0, "tid": )" + std::to_string(bar.lane) + ", " +
         json_member("ts", decimal(bar.start, unit)) + ", " +
         json_member("dur", decimal(bar.end - bar.start, unit)) + ", " +
         json_member("name", json_string(describe(what).view())) + ", " +
         json_member("cat", json_string(kind_name(what.kind))) + R"(, "args": {"stage": )" +
         std::to_string(what.stage) +
         (what.kind == action_kind::update ? R"(, "update": )" : R"(, "micro_batch": )") +
         std::to_string(what.micro_batch) + (what.joined ? R"(, "joined": true)" : "") + "}}";
}

/// What the run is, and its facts, as an object.
inline std::string other_data(const drawn_timeline& drawn) {
  const std::string clock = std::string(describe(drawn.clock.source)) + ", " + drawn.clock.unit;
  std::string members = json_member("title", json_string(drawn.title)) + ", " +
                        json_member("counts", json_string(drawn.subtitle)) + ", " +
                        json_member("clock", json_string(clock));
  for (const fact_text& fact : drawn.fact_lines) {
    members += ", " + json_member(fact.name, json_string(fact.value));
  }
  return "{" + members + "}";
}

}  // namespace drawing

/// A timeline as JSON for a trace viewer (Google, "Trace Event Format"): a thread for each lane, a
/// complete event for each action, with its kind as the category. The format counts microseconds;
/// where the clock counts something else, a microsecond of the viewer is one unit of it, which the
/// name of the process says.
inline std::string chrome_trace(const drawn_timeline& drawn) {
  std::string page = "{\"displayTimeUnit\": \"ms\",\n\"otherData\": " + drawing::other_data(drawn) +
                     ",\n\"traceEvents\": [\n" + drawing::process_event(drawn);
  for (std::size_t lane = 0; lane < drawn.lanes.size(); ++lane) {
    page += ",\n" + drawing::lane_events(drawn, static_cast<int>(lane));
  }
  for (const drawn_bar& bar : drawn.bars) {
    page += ",\n" + drawing::bar_event(drawn, bar);
  }
  return page + "\n]}\n";
}

}  // namespace ipu_dsl
