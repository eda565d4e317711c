// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string_view>

#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/study/text/csv_reader.hpp>
#include <ipu_dsl/study/text/slot_table.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;
using namespace ipu_dsl::cells;

namespace {

constexpr verdict judge(const program& rows) {
  const stage_graph graph = chain_stage_graph(rows.stages);
  return prove(rows.view(), graph.view());
}

/// A table and a text of the same schedule are the same program.
constexpr bool same(const program& left, const program& right) {
  bool equal = left.devices == right.devices && left.stages == right.stages &&
               left.micro_batches == right.micro_batches && left.weights == right.weights &&
               left.actions.size() == right.actions.size() && left.slot.size() == right.slot.size();
  for (std::size_t i = 0; equal && i < left.actions.size(); ++i) {
    equal = left.actions[i] == right.actions[i] && left.slot[i] == right.slot[i];
  }
  for (std::size_t i = 0; equal && i < left.device_of_stage.size(); ++i) {
    equal = left.device_of_stage[i] == right.device_of_stage[i];
  }
  for (std::size_t i = 0; equal && i < left.row_begin.size(); ++i) {
    equal = left.row_begin[i] == right.row_begin[i];
  }
  return equal;
}

constexpr cell two_devices[] = {
    F(0, 0), F(0, 1), B(0, 0), B(0, 1), idle,     //
    idle,    F(1, 0), B(1, 0), F(1, 1), B(1, 1),  //
};

static_assert(judge(from_slots(two_devices, 2)).proven());
static_assert(same(from_slots(two_devices, 2),
                   parse_csv("0F0,0F1,0B0,0B1,\n,1F0,1B0,1F1,1B1").rows));

/// Two stages a device, in an order in which both wait for each other.
constexpr cell deadlock[] = {
    F(0, 0), F(2, 0), B(2, 0), B(0, 0),  //
    F(3, 0), F(1, 0), B(3, 0), B(1, 0),  //
};

static_assert(judge(from_slots(deadlock, 2)).kind == schedule_fault::deadlock);
static_assert(judge(from_slots(deadlock, 2)).device == 0);

/// Every word, joined steps, and what is said besides the cells.
constexpr bool test_words() {
  const cell table[] = {
      F(0, 0), O(0, 0), joined(F(0, 1), L(0, 0)), R(0, 0), I(0, 0), W(0, 0), U(0), B(0, 1), U(0, 1),
  };
  const parsed_schedule read = parse_csv(
      "# update_interval=1 copies=1 delay=2\n"
      "0F0,0OFFLOAD0,(0F1;0FETCH0)OVERLAP_F_B,0RECOMPUTE0,0I0,0W0,0UPDATE,0B1,0UPDATE1");
  return !read.fault.found() && same(from_slots(table, 1, {.weights = {1, 1, 2}}), read.rows);
}

static_assert(test_words());

/// A device without actions, and a stage without any.
constexpr checks test_header() {
  const cell table[] = {F(0, 0), idle, idle, idle};
  const program rows =
      from_slots(table, 2, {.micro_batches = 3, .placement = {0, 1}, .columns_are_slots = false});
  checks done;
  done.that(rows.devices == 2);
  done.that(rows.stages == 2);
  done.that(rows.micro_batches == 3);
  done.that(rows.slot.empty());
  done.that(rows.device_of_stage[1] == 1);
  return done;
}

static_assert(test_header());

constexpr bool says(const parsed_schedule& read, std::string_view message, int line, int column) {
  return read.fault.message().view() == message && read.line == line && read.column == column &&
         read.rows.actions.empty();
}

constexpr checks test_faults() {
  const cell twice_placed[] = {F(0, 0), idle, F(1, 0), F(0, 1)};
  const cell gap[] = {F(0, 0), F(2, 0)};
  const cell negative[] = {F(0, 0), F(-1, 0)};
  const cell large[] = {F(0, 0), joined(F(0, 1), B(0, 70000))};
  const cell nothing[] = {idle, idle};
  checks done;
  done.that(says(read_slots(twice_placed, 2, {}, "ours"),
                 "schedule ours, device 1, slot 1: expected stage 0 on one device, got F0(1) on "
                 "device 1. Hint: stage 0 is on device 0, where its other actions or the placement "
                 "put it",
                 2, 2));
  done.that(says(read_slots(gap, 1),
                 "schedule mine: expected actions of every stage from 0 to 2, got none of stage 1. "
                 "Hint: number stages without gaps, or say in the header where each one is placed",
                 0, 0));
  done.that(says(read_slots(negative, 1),
                 "schedule mine, device 0, slot 1: expected a stage below 1024 and a micro-batch "
                 "below 65536, got F-1(0)",
                 1, 2));
  done.that(says(read_slots(large, 1),
                 "schedule mine, device 0, slot 1: expected a stage below 1024 and a micro-batch "
                 "below 65536, got B0(70000)",
                 1, 2));
  done.that(
      says(read_slots(nothing, 1),
           "schedule mine: expected at least one action on a micro-batch, got none. Hint: 0F0 "
           "is the forward of stage 0 on micro-batch 0",
           0, 0));
  done.that(says(read_slots(gap, 0),
                 "schedule mine: expected rows of as many cells for each of 0 devices, got 2 cells",
                 0, 0));
  done.that(
      says(read_slots({}, 3),
           "schedule mine: expected at least one action on a micro-batch, got none. Hint: 0F0 "
           "is the forward of stage 0 on micro-batch 0",
           0, 0));
  done.that(says(read_slots(twice_placed, 3),
                 "schedule mine: expected rows of as many cells for each of 3 devices, got 4 cells",
                 0, 0));
  done.that(says(read_slots(gap, 1, {.devices = 2}),
                 "schedule mine: expected 2 devices, as the header says, got 1", 0, 0));
  return done;
}

static_assert(test_faults());
static_assert(judge(from_slots({}, 1)).kind == schedule_fault::malformed);

constexpr checks test_tables() {
  checks done;
  done.that(same(from_slots(two_devices, 2), parse_csv("0F0,0F1,0B0,0B1,\n,1F0,1B0,1F1,1B1").rows));
  return done;
}

static_assert(test_tables());

}  // namespace

TEST_CASE("tables are read at run time as at compile time") {
  CHECK(test_words());
  CHECK(test_header());
  CHECK(test_faults());
  CHECK(test_tables());
}
