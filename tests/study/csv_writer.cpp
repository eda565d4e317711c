// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>
#include <string_view>

#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/study/text/csv_reader.hpp>
#include <ipu_dsl/study/text/csv_writer.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using kind = action_kind;

template <typename T>
bool same(const list<T>& left, const list<T>& right) {
  bool equal = left.size() == right.size();
  for (std::size_t i = 0; equal && i < left.size(); ++i) {
    equal = left[i] == right[i];
  }
  return equal;
}

bool same_rows(const program& left, const program& right) {
  return left.devices == right.devices && left.stages == right.stages &&
         left.micro_batches == right.micro_batches && left.weights == right.weights &&
         same(left.device_of_stage, right.device_of_stage) && same(left.actions, right.actions) &&
         same(left.row_begin, right.row_begin);
}

/// The complete form returns rows, placement and weight policy; and slots, unless there are several
/// steps of a device in one.
void check_round_trip(const program& rows) {
  const std::string text = to_csv(rows.view(), csv_form::complete);
  INFO(text);
  const parsed_schedule read = parse_csv(text);
  CHECK(read.fault.message().view() == problem().message().view());
  CHECK(same_rows(read.rows, rows));
  const bool slots_kept = dropped_by(rows.view(), csv_form::complete).empty();
  CHECK(same(read.rows.slot, slots_kept ? rows.slot : list<int>()));
  CHECK(read.dropped == 0);
  CHECK(to_csv(read.rows.view(), csv_form::complete) == text);
}

/// Halves of a backward, recomputation, offload and fetch, joined steps of two and of three.
program every_kind() {
  program rows(2, neighbouring_placement(2, 2), 3);
  rows.put(kind::forward, 0, 0);
  rows.put(kind::offload, 0, 0);
  rows.put(kind::forward, 0, 1);
  rows.put_joined(kind::fetch, 0, 0);
  rows.put_joined(kind::forward, 0, 2);
  rows.put(kind::backward, 0, 0);
  rows.put(kind::backward, 0, 1);
  rows.put(kind::backward, 0, 2);
  rows.put(kind::update, 0, 0);
  rows.end_row();
  rows.put(kind::forward, 1, 0);
  rows.put(kind::input_gradient, 1, 0);
  rows.put_joined(kind::forward, 1, 1);
  rows.put(kind::input_gradient, 1, 1);
  rows.put(kind::weight_gradient, 1, 0);
  rows.put(kind::weight_gradient, 1, 1);
  rows.put_joined(kind::forward, 1, 2);
  rows.put(kind::weight_gradient, 1, 2);
  rows.put(kind::recompute, 1, 2);
  rows.put(kind::backward, 1, 2);
  rows.put(kind::update, 1, 0);
  rows.end_row();
  return rows;
}

/// Two pipes in opposite directions, and updates within the run.
program two_ways() {
  program rows(2, mirrored_placement(2), 2);
  rows.weights = {.copies = 2, .update_interval = 1, .delay = 1};
  for (int device = 0; device < 2; ++device) {
    for (int m = 0; m < 2; ++m) {
      for (const int stage : {device, 3 - device}) {
        rows.put(kind::forward, stage, m);
        rows.put(kind::backward, stage, m);
        rows.put(kind::update, stage, m);
      }
    }
    rows.end_row();
  }
  return rows;
}

/// A device without a stage, one whose stage does nothing, and a micro-batch that nobody has.
program silent_ones() {
  const list<int> placement = {1, 3};
  program rows(4, placement, 5);
  rows.end_row();
  rows.put(kind::forward, 0, 0);
  rows.put(kind::forward, 0, 2);
  rows.end_row();
  rows.end_row();
  rows.end_row();
  return rows;
}

/// Slots with idle ones before, between and behind, and a joined step in one.
program slotted() {
  program rows(3, neighbouring_placement(3, 3), 2);
  rows.put(kind::forward, 0, 0);
  rows.slot.push_back(0);
  rows.put_joined(kind::forward, 0, 1);
  rows.slot.push_back(3);
  rows.put(kind::backward, 0, 0);
  rows.slot.push_back(3);
  rows.end_row();
  rows.put(kind::forward, 1, 0);
  rows.slot.push_back(12);
  rows.end_row();
  rows.put(kind::forward, 2, 1);
  rows.slot.push_back(1);
  rows.put(kind::update, 2, 0);
  rows.slot.push_back(4);
  rows.end_row();
  return rows;
}

}  // namespace

TEST_CASE("the complete form holds all of a program") {
  int checked = 0;
  for (int stages = 1; stages <= 4; ++stages) {
    for (int devices = 1; devices <= stages; ++devices) {
      for (int micro_batches = 1; micro_batches <= 9; micro_batches += 4) {
        check_round_trip(grouped::make(devices, stages, micro_batches));
        check_round_trip(interleaved::make(devices, stages, micro_batches));
        check_round_trip(sequential_schedule::make(devices, stages, micro_batches));
        check_round_trip(grouped::make_forward(devices, stages, micro_batches));
        checked += 4;
      }
    }
  }
  for (const program& rows : {every_kind(), two_ways(), silent_ones(), slotted()}) {
    check_round_trip(rows);
    ++checked;
  }
  std::printf("checked %d round trips\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("texts are what a person would write") {
  CHECK(to_csv(interleaved::make(2, 2, 2).view(), csv_form::complete) ==
        "# devices=2 stages=2 micro_batches=2\n"
        "0F0,,0F1,0B0,,0B1,0UPDATE\n"
        ",1F0,1B0,1F1,1B1,,1UPDATE\n");
  CHECK(to_csv(interleaved::make(2, 2, 2).view(), csv_form::compute_only) ==
        "0F0,,0F1,0B0,,0B1\n"
        ",1F0,1B0,1F1,1B1\n");
  CHECK(to_csv(every_kind().view(), csv_form::complete) ==
        "# devices=2 stages=2 micro_batches=3 columns=order\n"
        "0F0,0OFFLOAD0,0F1,(0FETCH0;0F2;0B0)OVERLAP_F_B,0B1,0B2,0UPDATE\n"
        "1F0,1I0,(1F1;1I1)OVERLAP_F_B,1W0,1W1,(1F2;1W2)OVERLAP_F_B,1RECOMPUTE2,1B2,1UPDATE\n");
  CHECK(to_csv(every_kind().view(), csv_form::compute_only) ==
        "0F0,0F1,(0F2;0B0)OVERLAP_F_B,0B1,0B2\n"
        "1F0,1I0,(1F1;1I1)OVERLAP_F_B,1W0,1W1,1F2,1W2,1B2\n");
  CHECK(to_csv(two_ways().view(), csv_form::complete) ==
        "# devices=2 stages=4 micro_batches=2 copies=2 update_interval=1 delay=1 columns=order\n"
        "0F0,0B0,0UPDATE,3F0,3B0,3UPDATE,0F1,0B1,0UPDATE1,3F1,3B1,3UPDATE1\n"
        "1F0,1B0,1UPDATE,2F0,2B0,2UPDATE,1F1,1B1,1UPDATE1,2F1,2B1,2UPDATE1\n");
  CHECK(to_csv(silent_ones().view(), csv_form::complete) ==
        "# devices=4 stages=2 micro_batches=5 columns=order\n"
        "# placement=1,3\n"
        ",\n0F0,0F2\n,\n,\n");
  CHECK(to_csv(slotted().view(), csv_form::complete) ==
        "# devices=3 stages=3 micro_batches=2\n"
        "0F0,,,(0F1;0B0)OVERLAP_F_B\n"
        ",,,,,,,,,,,,1F0\n"
        ",2F1,,,2UPDATE\n");
}

TEST_CASE("what a text leaves out is said") {
  CHECK(dropped_by(interleaved::make(2, 2, 2).view(), csv_form::complete).empty());
  CHECK(dropped_by(grouped::make(2, 2, 4).view(), csv_form::complete) == "the time slots");
  CHECK(dropped_by(sequential_schedule::make(1, 1, 1).view(), csv_form::compute_only) ==
        "1 UPDATE action");
  CHECK(dropped_by(every_kind().view(), csv_form::complete).empty());
  CHECK(dropped_by(every_kind().view(), csv_form::compute_only) ==
        "1 RECOMPUTE action, 2 UPDATE actions, 1 OFFLOAD action, 1 FETCH action, 2 joined steps");
  CHECK(dropped_by(two_ways().view(), csv_form::compute_only) ==
        "8 UPDATE actions, the weight policy");
  CHECK(dropped_by(silent_ones().view(), csv_form::compute_only) ==
        "the placement of stages without actions");
}

TEST_CASE("a synchronous program comes back from PyTorch's grammar, updates and all") {
  int checked = 0;
  for (int stages = 2; stages <= 5; ++stages) {
    const program rows = grouped::make(stages, stages, 2 * stages);
    const parsed_schedule read = parse_csv(to_csv(rows.view(), csv_form::compute_only));
    CHECK(!read.fault.found());
    CHECK(same_rows(read.rows, rows));
    const program timed = interleaved::make(stages, stages, stages);
    const parsed_schedule read_timed = parse_csv(to_csv(timed.view(), csv_form::compute_only));
    CHECK(same_rows(read_timed.rows, timed));
    CHECK(same(read_timed.rows.slot, timed.slot));
    checked += 2;
  }
  std::printf("checked %d programs in PyTorch's grammar\n", checked);
  CHECK(checked > 0);
}
