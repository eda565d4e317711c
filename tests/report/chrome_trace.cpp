// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <ipu_dsl/report/chrome_trace.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "report/golden.hpp"
#include "report/programs.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// Reads JSON (RFC 8259) and keeps nothing of it but whether it is any.
class json_reader {
 public:
  explicit json_reader(std::string_view text) : text_(text) {}

  bool whole() {
    const bool read = value();
    skip_blanks();
    return read && text_.empty();
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && std::string_view(" \n\r\t").find(text_[0]) != std::string_view::npos) {
      text_.remove_prefix(1);
    }
  }

  bool take(std::string_view words) {
    skip_blanks();
    const bool there = text_.starts_with(words);
    text_.remove_prefix(there ? words.size() : 0);
    return there;
  }

  bool value() {
    if (take("{")) {
      return list_until("}", true);
    }
    if (take("[")) {
      return list_until("]", false);
    }
    return take("true") || take("false") || take("null") || (next_is('"') ? string() : number());
  }

  bool next_is(char letter) {
    skip_blanks();
    return !text_.empty() && text_[0] == letter;
  }

  bool list_until(std::string_view end, bool named) {
    if (take(end)) {
      return true;
    }
    do {
      if (named && !(next_is('"') && string() && take(":"))) {
        return false;
      }
      if (!value()) {
        return false;
      }
    } while (take(","));
    return take(end);
  }

  bool string() {
    text_.remove_prefix(1);
    while (!text_.empty() && text_[0] != '"') {
      if (static_cast<unsigned char>(text_[0]) < 0x20) {
        return false;
      }
      const bool escape = text_[0] == '\\';
      if (escape && (text_.size() < 2 ||
                     std::string_view("\"\\/bfnrtu").find(text_[1]) == std::string_view::npos)) {
        return false;
      }
      text_.remove_prefix(escape ? 2 : 1);
    }
    return take("\"");
  }

  bool number() {
    skip_blanks();
    if (text_.starts_with("-")) {
      text_.remove_prefix(1);
    }
    const bool leading_zero = text_.starts_with("0");
    const std::size_t whole = digits();
    if (whole == 0 || (leading_zero && whole > 1)) {
      return false;
    }
    if (text_.starts_with(".")) {
      text_.remove_prefix(1);
      return digits() > 0;
    }
    return true;
  }

  std::size_t digits() {
    std::size_t count = 0;
    while (count < text_.size() && text_[count] >= '0' && text_[count] <= '9') {
      ++count;
    }
    text_.remove_prefix(count);
    return count;
  }

  std::string_view text_;
};

bool is_json(std::string_view text) {
  return json_reader(text).whole();
}

std::size_t count_of(std::string_view text, std::string_view words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + words.size())) {
    ++count;
  }
  return count;
}

/// The sum of the durations of the events of a thread.
double duration_of(std::string_view page, int thread) {
  const std::string begin = R"({"ph": "X", "pid": 0, "tid": )" + std::to_string(thread) + ",";
  const std::string_view name = "\"dur\": ";
  double sum = 0;
  for (std::size_t at = page.find(begin); at != std::string_view::npos;
       at = page.find(begin, at + 1)) {
    sum += std::stod(std::string(page.substr(page.find(name, at) + name.size(), 24)));
  }
  return sum;
}

int check_trace(const drawn_timeline& drawn) {
  const std::string page = chrome_trace(drawn);
  CHECK(is_json(page));
  CHECK(count_of(page, "\"ph\": \"X\"") == drawn.bars.size());
  CHECK(count_of(page, "\"thread_name\"") == drawn.lanes.size());
  CHECK(count_of(page, "\"thread_sort_index\"") == drawn.lanes.size());
  CHECK(count_of(page, "\"process_name\"") == 1);
  for (std::size_t lane = 0; lane < drawn.lanes.size(); ++lane) {
    CHECK(duration_of(page, static_cast<int>(lane)) == Approx(drawn.lanes[lane].busy));
  }
  return static_cast<int>(drawn.bars.size());
}

}  // namespace

TEST_CASE("the reader of JSON finds what is wrong") {
  for (const char* right : {"{}", "[]", "[1, -2.5, 0]", R"({"a": {"b": [true, null, "c\"\\"]}})"}) {
    CHECK(is_json(right));
  }
  for (const char* wrong : {"", "{", "[1,]", "{1: 2}", "{\"a\" 1}", "\"a", "01", "1.", "[1] 2",
                            "\"\\x\"", "\"\n\"", "{\"a\": }", "nan"}) {
    CHECK(!is_json(wrong));
  }
}

TEST_CASE("a trace is JSON with an event for every action") {
  int events = check_trace(draw_back_to_back(split_program(true), "split"));
  events += check_trace(draw_back_to_back(all_kinds_program(), "all kinds"));
  for (const int stages : {2, 4, 8}) {
    events += check_trace(draw_schedule<grouped>(stages, 4 * stages, {.update = 3}));
    events += check_trace(draw_schedule<interleaved>(stages, 4 * stages));
    events += check_trace(draw_schedule<sequential_schedule>(stages, stages));
  }
  CHECK(events > 1'000);
  std::printf("checked %d events\n", events);
}

TEST_CASE("a trace is the recorded one") {
  check_golden("split.json", chrome_trace(draw_back_to_back(split_program(true), "split, joined")));
}

TEST_CASE("an event says what, when, and of what") {
  const std::string page = chrome_trace(draw_back_to_back(all_kinds_program(), "all kinds"));
  CHECK(page.find(R"json({"ph": "X", "pid": 0, "tid": 0, "ts": 4, "dur": 2, "name": "B0(0)", )json"
                  R"("cat": "backward", "args": {"stage": 0, "micro_batch": 0}})") !=
        std::string::npos);
  CHECK(page.find(R"json("name": "R0(1)", "cat": "recompute", )json"
                  R"("args": {"stage": 0, "micro_batch": 1, "joined": true}})") !=
        std::string::npos);
  CHECK(page.find(R"("name": "U0", "cat": "update", "args": {"stage": 0, "update": 0}})") !=
        std::string::npos);
  CHECK(page.find("all kinds (modelled estimate, time in units)") != std::string::npos);
  for (int kind = 0; kind < action_kinds; ++kind) {
    const std::string name(kind_name(static_cast<action_kind>(kind)));
    CHECK(count_of(page, "\"cat\": \"" + name + "\"") == (kind == 0 ? 2 : 1));
  }
}

TEST_CASE("times of a measured run are microseconds, to the nanosecond") {
  drawn_timeline drawn = draw_back_to_back(all_kinds_program(), "measured");
  drawn.clock = {time_source::measured, "microseconds", 1'000};
  drawn.bars[1].start = 1'234'567;
  drawn.bars[1].end = 1'234'617;
  const std::string page = chrome_trace(drawn);
  CHECK(is_json(page));
  CHECK(page.find("\"ts\": 1234.567, \"dur\": 0.05, \"name\": \"O0(0)\"") != std::string::npos);
  CHECK(page.find("(measured, time in microseconds)") != std::string::npos);
  CHECK(page.find("estimate") == std::string::npos);
}

TEST_CASE("words in a trace are escaped") {
  drawn_timeline drawn = draw_back_to_back(split_program(false), "a \"b\" \\ c\n\x1F");
  drawn.lanes[1].name = "\"";
  const std::string page = chrome_trace(drawn);
  CHECK(is_json(page));
  CHECK(page.find(R"(a \"b\" \\ c\u000a\u001f)") != std::string::npos);
  CHECK(page.find(R"({"name": "\""})") != std::string::npos);
  drawn.title = "gr\xFC\xDF";  // Latin-1
  CHECK(chrome_trace(drawn).find("\"gr?? (") != std::string::npos);
}
