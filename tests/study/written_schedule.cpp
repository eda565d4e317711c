// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>
#include <string_view>

#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>
#include <ipu_dsl/study/text/written_schedule.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using namespace ipu_dsl::cells;

struct from_text : written_schedule<from_text> {
  static constexpr std::string_view name = "from_text";
  static constexpr std::string_view csv =
      "0F0,0F1,0B0,0B1\n"
      ",1F0,1B0,1F1,1B1\n";
};

struct from_table : written_schedule<from_table> {
  static constexpr std::string_view name = "from_table";
  static constexpr cell table[2][5] = {
      {F(0, 0), F(0, 1), B(0, 0), B(0, 1), idle},
      {idle, F(1, 0), B(1, 0), F(1, 1), B(1, 1)},
  };
};

/// A constexpr function needs no base: this one makes one forward and one backward at a time, on
/// one device, for any counts.
struct from_function {
  static constexpr std::string_view name = "from_function";

  static constexpr problem allows(int devices, int, int, purpose) {
    return devices == 1 ? problem() : refuse("one device", label() << devices);
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows(devices, list<int>(static_cast<std::size_t>(stages), 0), micro_batches);
    for (int m = 0; m < micro_batches; ++m) {
      for (int stage = 0; stage < stages; ++stage) {
        rows.put(action_kind::forward, stage, m);
      }
      for (int stage = stages - 1; stage >= 0; --stage) {
        rows.put(action_kind::backward, stage, m);
      }
    }
    for (int stage = 0; stage < stages; ++stage) {
      rows.put(action_kind::update, stage, 0);
    }
    rows.end_row();
    return rows;
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    const list<int> placement(static_cast<std::size_t>(stages), 0);
    return rotate(devices, placement, micro_batches, overlap::all, purpose::inference);
  }
};

struct wrong_text : written_schedule<wrong_text> {
  static constexpr std::string_view name = "wrong_text";
  static constexpr std::string_view csv = "0F0,0X0\n";
};

struct wrong_table : written_schedule<wrong_table> {
  static constexpr std::string_view name = "wrong_table";
  static constexpr cell table[2][1] = {{F(0, 0)}, {F(0, 1)}};
};

/// Two stages a device: it is read, and the proof refuses it.
struct stuck : written_schedule<stuck> {
  static constexpr std::string_view name = "stuck";
  static constexpr std::string_view csv = "0F0,2F0,2B0,0B0\n3F0,1F0,3B0,1B0\n";
};

/// Two pipes in opposite directions, each with two micro-batches.
struct two_ways : written_schedule<two_ways> {
  static constexpr std::string_view name = "two_ways";
  static constexpr weight_policy weights = {.copies = 2};
  static constexpr cell table[2][8] = {
      {F(0, 0), F(3, 0), B(3, 0), B(0, 0), F(0, 1), F(3, 1), B(3, 1), B(0, 1)},
      {F(2, 0), F(1, 0), B(1, 0), B(2, 0), F(2, 1), F(1, 1), B(1, 1), B(2, 1)},
  };
};

static_assert(schedule_type<from_text>);
static_assert(schedule_type<from_table>);
static_assert(schedule_type<from_function>);
static_assert(schedule_type<wrong_text>);

/// Whether the proof takes the program of a schedule type.
template <schedule_type Schedule>
constexpr verdict judge(int devices, int stages, int micro_batches, purpose aim, int copies = 1) {
  const stage_graph graph =
      chain_stage_graph(stages, stage_cost(), output_use::forward_only, copies);
  const program rows = make_program<Schedule>(devices, stages, micro_batches, aim);
  return prove(rows.view(), graph.view(), {}, Schedule::name);
}

static_assert(judge<from_text>(2, 2, 2, purpose::training).proven());
static_assert(judge<from_text>(2, 2, 5, purpose::inference).proven());
static_assert(judge<from_table>(2, 2, 2, purpose::training).proven());
static_assert(judge<from_table>(2, 2, 3, purpose::inference).proven());
static_assert(judge<from_function>(1, 3, 4, purpose::training).proven());
static_assert(judge<from_function>(1, 3, 4, purpose::inference).proven());
static_assert(judge<two_ways>(2, 4, 4, purpose::training, 2).proven());
static_assert(judge<two_ways>(2, 4, 6, purpose::inference, 2).proven());
static_assert(judge<stuck>(2, 4, 1, purpose::training).fault.message().view() ==
              "schedule stuck, device 0 at position 1: expected an order in which F2(0) gets its "
              "turn, got a wait forever for F1(0). Hint: F1(0) comes after F3(0) on device 1, "
              "which waits for F2(0)");

static_assert(default_devices<from_text>(2) == 2);
static_assert(default_devices<stuck>(4) == 2);
static_assert(default_devices<wrong_text>(3) == 3);
static_assert(default_devices<from_function>(3) == 3);

static_assert(!from_text::allows(2, 2, 2, purpose::training).found());
static_assert(!from_text::allows(2, 2, 7, purpose::inference).found());
static_assert(!two_ways::allows(2, 4, 4, purpose::training).found());

constexpr bool refuses(const problem& found, std::string_view message) {
  return found.message().view() == message;
}

static_assert(refuses(from_text::allows(2, 2, 4, purpose::training),
                      "schedule from_text: expected what is written: 2 devices, 2 stages and 2 "
                      "micro-batches, got 2, 2 and 4. Hint: use a gradient accumulation count of "
                      "2"));
static_assert(refuses(from_table::allows(2, 3, 2, purpose::training),
                      "schedule from_table: expected what is written: 2 devices, 2 stages and 2 "
                      "micro-batches, got 2, 3 and 2. Hint: cut the model into 2 stages"));
static_assert(refuses(stuck::allows(4, 4, 1, purpose::inference),
                      "schedule stuck: expected what is written: 2 devices, 4 stages and 1 "
                      "micro-batch, got 4, 4 and 1. Hint: use 2 devices"));
static_assert(refuses(two_ways::allows(2, 4, 2, purpose::training),
                      "schedule two_ways: expected what is written: 2 devices, 4 stages and 4 "
                      "micro-batches, got 2, 4 and 2. Hint: use a gradient accumulation count of "
                      "4"));
static_assert(two_ways::allows(2, 4, 3, purpose::inference).found());
static_assert(from_text::allows(2, 2, 0, purpose::inference).found());
static_assert(refuses(wrong_text::allows(1, 1, 1, purpose::training),
                      "schedule wrong_text, line 1, cell 2: expected F, B, I, W, RECOMPUTE, "
                      "UPDATE, OFFLOAD or FETCH behind the stage, got \"0X0\". Hint: B is a whole "
                      "backward, I (input) and W (weights) are its halves"));
static_assert(refuses(wrong_table::allows(2, 1, 2, purpose::training),
                      "schedule wrong_table, device 1, slot 0: expected stage 0 on one device, got "
                      "F0(1) on device 1. Hint: stage 0 is on device 0, where its other actions or "
                      "the placement put it"));
static_assert(judge<wrong_text>(1, 1, 1, purpose::training).kind == schedule_fault::malformed);

/// Micro-batches enter at both ends in turn.
constexpr bool test_forward_of_copies() {
  const program rows = two_ways::make_forward(2, 4, 4);
  const action actions[] = {F(0, 0), F(3, 0), F(0, 1), F(3, 1), F(2, 0), F(1, 0), F(2, 1), F(1, 1)};
  constexpr int slots[] = {0, 2, 2, 4, 1, 1, 3, 3};
  bool equal = rows.micro_batches == 2 && rows.weights.copies == 2 && rows.actions.size() == 8;
  for (std::size_t i = 0; equal && i < 8; ++i) {
    equal = rows.actions[i] == actions[i] && rows.slot[i] == slots[i];
  }
  return equal;
}

static_assert(test_forward_of_copies());

}  // namespace

TEST_CASE("written schedules take the counts that are written") {
  int checked = 0;
  int allowed = 0;
  for (int devices = -1; devices <= 5; ++devices) {
    for (int stages = -1; stages <= 5; ++stages) {
      for (int micro_batches = -1; micro_batches <= 9; ++micro_batches) {
        const bool placed = devices == 2 && stages == 4 && micro_batches > 0;
        CHECK(two_ways::allows(devices, stages, micro_batches, purpose::training).found() ==
              !(placed && micro_batches == 4));
        CHECK(two_ways::allows(devices, stages, micro_batches, purpose::inference).found() ==
              !(placed && micro_batches % 2 == 0));
        allowed += placed && micro_batches % 2 == 0 ? 1 : 0;
        ++checked;
      }
    }
  }
  std::printf("checked %d counts, %d allowed\n", checked, allowed);
  CHECK(allowed > 0);
}

TEST_CASE("written schedules are proven for inference, whatever the number of micro-batches") {
  CHECK(test_forward_of_copies());
  int checked = 0;
  for (int micro_batches = 1; micro_batches <= 12; ++micro_batches) {
    CHECK(judge<from_text>(2, 2, micro_batches, purpose::inference).proven());
    CHECK(judge<from_table>(2, 2, micro_batches, purpose::inference).proven());
    CHECK(judge<stuck>(2, 4, micro_batches, purpose::inference).proven());
    CHECK(judge<two_ways>(2, 4, 2 * micro_batches, purpose::inference, 2).proven());
    checked += 4;
  }
  std::printf("checked %d forward programs\n", checked);
  CHECK(checked > 0);
}

namespace {

struct text_misnamed : written_schedule<text_misnamed> {
  static constexpr std::string_view name = "mine";
  [[maybe_unused]] static constexpr std::string_view text = "0F0,0B0\n";
};

struct text_of_rows : written_schedule<text_of_rows> {
  static constexpr std::string_view name = "mine";
  static constexpr std::string_view csv[] = {"0F0,0B0", ",1F0,1B0"};
};

struct flat_table : written_schedule<flat_table> {
  static constexpr std::string_view name = "mine";
  static constexpr cell table[2] = {cells::F(0, 0), cells::B(0, 0)};
};

struct of_nothing {};

struct base_of_other : written_schedule<of_nothing> {};

template <typename Schedule>
std::string refusal_of() {
  return std::string(Schedule::allows(1, 1, 1, purpose::training).message().view());
}

}  // namespace

TEST_CASE("what has neither a text nor a table is refused with a sentence") {
  const std::string wanted =
      ": expected csv, a text, or table, an array cell[devices][slots], got ";
  const std::string write = ". Hint: write static constexpr ";
  const std::string text = "std::string_view csv = \"0F0,0B0\"";
  CHECK(refusal_of<text_misnamed>() == "schedule mine" + wanted + "neither" + write + text);
  CHECK(refusal_of<text_of_rows>() ==
        "schedule mine" + wanted + "a csv that the compiler cannot read" + write + text);
  CHECK(refusal_of<flat_table>() == "schedule mine" + wanted + "a table of another type" + write +
                                        "cell table[devices][slots], every row as long");
  CHECK(refusal_of<base_of_other>().find("of_nothing" + wanted + "neither") != std::string::npos);
}
