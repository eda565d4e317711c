// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string_view>

#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

/// The slot of an action, or -1.
constexpr int slot_of(const program& rows, const action& what) {
  for (std::size_t index = 0; index < rows.actions.size(); ++index) {
    if (rows.actions[index] == what) {
      return rows.slot[index];
    }
  }
  return -1;
}

/// Whether a trace such as "F0(0) | F1(0) F0(1)" names every action but the updates in its slot.
constexpr bool traces(const program& rows, std::string_view trace) {
  int slot = 0;
  int found = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace[i] == '|') {
      ++slot;
    } else if (trace[i] == 'F' || trace[i] == 'B') {
      const action_kind kind = trace[i] == 'F' ? action_kind::forward : action_kind::backward;
      if (slot_of(rows, {kind, trace[i + 1] - '0', trace[i + 3] - '0'}) != slot) {
        return false;
      }
      ++found;
    }
  }
  return found == 2 * rows.stages * rows.micro_batches;
}

/// The traces of the reference, as its public documentation and tests give them.
constexpr checks test_traces() {
  checks done;
  done.that(traces(grouped::make(2, 2, 8),
                   "F0(0) | F1(0) F0(1) | B1(0) F1(1) F0(2) | B0(0) B1(1) F1(2) F0(3) |"
                   "B0(1) B1(2) F1(3) F0(4) | B0(2) B1(3) F1(4) F0(5) | B0(3) B1(4) F1(5) F0(6) |"
                   "B0(4) B1(5) F1(6) F0(7) | B0(5) B1(6) F1(7) | B0(6) B1(7) | B0(7)"));
  done.that(traces(interleaved::make(2, 2, 4),
                   "F0(0) | F1(0) | B1(0) F0(1) | B0(0) F1(1) | F0(2) B1(1) | F1(2) B0(1) |"
                   "B1(2) F0(3) | B0(2) F1(3) | B1(3) | B0(3)"));
  done.that(traces(interleaved::make(3, 3, 6),
                   "F0(0)|F1(0)|F2(0) F0(1)|B2(0) F1(1)|B1(0) F2(1) F0(2)|B0(0) B2(1) F1(2)|"
                   "F0(3) B1(1) F2(2)|F1(3) B0(1) B2(2)|F2(3) F0(4) B1(2)|B2(3) F1(4) B0(2)|"
                   "B1(3) F2(4) F0(5)|B0(3) B2(4) F1(5)|B1(4) F2(5)|B0(4) B2(5)|B1(5)|B0(5)"));
  return done;
}

static_assert(test_traces());

constexpr bool is(const list<int>& found, std::initializer_list<int> expected) {
  std::size_t i = 0;
  for (const int value : expected) {
    if (i >= found.size() || found[i] != value) {
      return false;
    }
    ++i;
  }
  return i == found.size();
}

/// The worked examples of the reference's header.
constexpr checks test_offsets() {
  const list<int> one_device = {2, 2, 2};
  const list<int> pairs = {0, 0, 1, 1};
  const list<int> worked = {0, 1, 2, 0, 0, 2, 1, 0};
  const list<int> repeated = {0, 1, 0};
  checks done;
  done.that(is(start_offsets(one_device, overlap::disjoint), {0}));
  done.that(is(start_offsets(pairs, overlap::disjoint), {0, 2}));
  done.that(is(start_offsets(worked, overlap::disjoint), {0, 2}));
  done.that(overlap_length(repeated, overlap::disjoint, purpose::training) == 1);
  done.that(is(start_offsets(worked, overlap::none), {0}));
  done.that(start_offsets(worked, overlap::all).size() == 8);
  return done;
}

static_assert(test_offsets());

/// Slots of F(s, m) and B(s, m) in closed form.
int expected_slot(overlap how, int stages, bool backward, int stage, int m) {
  const int step = backward ? 2 * stages - 1 - stage : stage;
  switch (how) {
    case overlap::all:
      return m + step;
    case overlap::disjoint:
      return 2 * m + step;
    case overlap::none:
      return 2 * stages * m + step;
  }
  return -1;
}

template <typename Schedule>
int check_closed_form() {
  int checked = 0;
  for (int stages = 2; stages <= 6; ++stages) {
    for (int rounds = 1; rounds <= 3; ++rounds) {
      const int micro_batches = 2 * stages * rounds;
      const program rows = Schedule::make(stages, stages, micro_batches);
      for (std::size_t i = 0; i < rows.actions.size(); ++i) {
        const action what = rows.actions[i];
        if (what.kind != action_kind::update) {
          REQUIRE(rows.slot[i] == expected_slot(Schedule::how, stages,
                                                what.kind == action_kind::backward, what.stage,
                                                what.micro_batch));
          ++checked;
        }
      }
      const program forward = Schedule::make_forward(stages, stages, micro_batches);
      for (std::size_t i = 0; i < forward.actions.size(); ++i) {
        const action what = forward.actions[i];
        const int start =
            Schedule::how == overlap::none ? stages * what.micro_batch : what.micro_batch;
        REQUIRE(what.kind == action_kind::forward);
        REQUIRE(forward.slot[i] == start + what.stage);
        ++checked;
      }
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("golden traces and offsets of the reference hold at run time too") {
  CHECK(test_traces());
  CHECK(test_offsets());
}

TEST_CASE("slots have their closed form") {
  const int checked = check_closed_form<grouped>() + check_closed_form<interleaved>() +
                      check_closed_form<sequential_schedule>();
  std::printf("checked %d slots\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("stages that share a device keep its row in the order of slots") {
  int checked = 0;
  for (int devices = 1; devices <= 3; ++devices) {
    const program rows = grouped::make(devices, 6, 12);
    for (int device = 0; device < devices; ++device) {
      const std::size_t end =
          static_cast<std::size_t>(rows.row_begin[static_cast<std::size_t>(device) + 1]);
      for (std::size_t i =
               static_cast<std::size_t>(rows.row_begin[static_cast<std::size_t>(device)]) + 1;
           i < end; ++i) {
        REQUIRE(rows.slot[i - 1] <= rows.slot[i]);
        ++checked;
      }
    }
    CHECK(rows.actions.size() == 6 * (2 * 12 + 1));
  }
  std::printf("checked %d neighbours\n", checked);
  CHECK(checked > 0);
}
