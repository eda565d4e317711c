// SPDX-License-Identifier: MIT
// Every schedule of the catalogue, written as text and read again.
#include <cstdio>
#include <string>

#include <ipu_dsl/catalogue/asynchronous.hpp>
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/inference.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/study/text/csv_reader.hpp>
#include <ipu_dsl/study/text/csv_writer.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

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

bool returns(const program& rows) {
  const parsed_schedule read = parse_csv(to_csv(rows.view(), csv_form::complete));
  const bool slots_kept = dropped_by(rows.view(), csv_form::complete).empty();
  return !read.fault.found() && same_rows(read.rows, rows) &&
         same(read.rows.slot, slots_kept ? rows.slot : list<int>());
}

/// Whether a program comes back from PyTorch's grammar, which has no words for the weight policy;
/// of programs without one, and with words for all of their steps.
bool returns_from_common_form(const program& rows) {
  const bool expressible =
      dropped_by(rows.view(), csv_form::compute_only).find("joined") == std::string::npos &&
      rows.weights == weight_policy{};
  const parsed_schedule read = parse_csv(to_csv(rows.view(), csv_form::compute_only));
  return !read.fault.found() && (!expressible || same_rows(read.rows, rows));
}

/// Round trips of one schedule, for all small counts that it takes.
template <schedule_type Schedule>
int check_schedule() {
  int checked = 0;
  for (int devices = 1; devices <= 4; ++devices) {
    for (int stages = devices; stages <= 3 * devices; ++stages) {
      for (int micro_batches = 1; micro_batches <= 12; ++micro_batches) {
        for (const purpose aim : {purpose::training, purpose::inference}) {
          if (Schedule::allows(devices, stages, micro_batches, aim).found()) {
            continue;
          }
          const program rows = make_program<Schedule>(devices, stages, micro_batches, aim);
          INFO(Schedule::name << " of " << devices << ", " << stages << ", " << micro_batches);
          CHECK(returns(rows));
          CHECK(returns_from_common_form(rows));
          ++checked;
        }
      }
    }
  }
  INFO(Schedule::name);
  CHECK(checked > 0);
  return checked;
}

template <schedule_type... Schedules>
int check_schedules() {
  return (check_schedule<Schedules>() + ...);
}

}  // namespace

TEST_CASE("schedules of the catalogue come back from their text") {
  const int checked =
      check_schedules<grouped, interleaved, sequential_schedule, relaxed<grouped>, gpipe,
                      one_f_one_b, eager_one_f_one_b, fill<2, 1>, pipedream, pipedream_2bw<4>,
                      interleaved_one_f_one_b, looped_bfs, interleaved_zero_bubble, zb_h1, zb_h2,
                      zero_bubble_list<>, zb_v, v_half, v_min, one_f_one_b_v, dualpipe_v, dualpipe,
                      chimera, inference, popart_implicit>();
  std::printf("checked %d round trips of the catalogue\n", checked);
  CHECK(checked > 0);
}

namespace {

/// Whether a program is written if and only if its text is read, and then comes back; `written`
/// counts those that are.
bool written_or_refused(const program& rows, int& written) {
  try {
    const std::string text = to_csv(rows.view(), csv_form::complete);
    ++written;
    const parsed_schedule read = parse_csv(text);
    return !read.fault.found() && same_rows(read.rows, rows);
  } catch (const error&) {
    return true;
  }
}

/// A forward of every stage on the first micro-batches, stages dealt out over the devices.
program forwards(int devices, int stages, int micro_batches, int done) {
  program rows(devices, neighbouring_placement(devices, stages), micro_batches);
  for (int device = 0; device < devices; ++device) {
    for (int stage = 0; stage < stages; ++stage) {
      for (int i = 0; rows.device_of_stage[static_cast<std::size_t>(stage)] == device && i < done;
           ++i) {
        rows.put(action_kind::forward, stage, i);
      }
    }
    rows.end_row();
  }
  return rows;
}

}  // namespace

TEST_CASE("texts are read and written up to the same sizes") {
  int checked = 0;
  int written = 0;
  for (const int devices : {1, 2, 1023, 1024, 1025, 1102}) {
    for (const int stages : {1, 2, 1023, 1024, 1025, 1102}) {
      for (const int micro_batches : {1, 3, 63, 64, 65, 65535, 65536, 65537}) {
        for (const int done : {0, 1, 4}) {
          if (done > micro_batches) {
            continue;
          }
          INFO(devices << " devices, " << stages << " stages, " << done << " of " << micro_batches);
          CHECK(written_or_refused(forwards(devices, stages, micro_batches, done), written));
          ++checked;
        }
      }
    }
  }
  std::printf("checked %d sizes, %d written\n", checked, written);
  CHECK(written > 0);
  CHECK(written < checked);
}

TEST_CASE("more rows than are written are not read either") {
  const auto rows_of = [](int count) {
    std::string text = "0F0,0B0\n";
    for (int row = 1; row < count; ++row) {
      text += ",\n";
    }
    return parse_csv(text);
  };
  const parsed_schedule most = rows_of(1024);
  REQUIRE_FALSE(most.fault.found());
  CHECK(returns(most.rows));
  CHECK(rows_of(1102).fault.message().view() ==
        "schedule mine: expected at most 1024 devices, a row each, got 1102 rows");
}

TEST_CASE("programs that a text would change are not written") {
  const auto refused = [](const program& rows) {
    try {
      to_csv(rows.view(), csv_form::complete);
    } catch (const error& found) {
      return std::string(found.what());
    }
    return std::string();
  };
  program rows(1, neighbouring_placement(1, 1), 1);
  rows.put(action_kind::forward, 0, 0);
  rows.put(action_kind::backward, 0, 0);
  rows.end_row();
  CHECK(refused(rows) ==
        "the text of a schedule: expected an update of every stage after its backwards, got none. "
        "Hint: end_training_row puts them behind the row of a device");
  rows.actions[1] = {action_kind::forward, 1, 0};
  CHECK(refused(rows) ==
        "the text of a schedule: expected actions of its stages and micro-batches, each in the row "
        "of its device, got others. Hint: the proof names the first");
  rows.actions[1] = {action_kind::forward, 0, 0};
  rows.slot = {0, 1 << 30};
  CHECK(refused(rows) ==
        "the text of a schedule: expected time slots for a text of at most 268435456 characters, "
        "got 1073741825 of 1 device");
  rows.micro_batches = 65537;
  CHECK(refused(rows) ==
        "the text of a schedule: expected at most 1024 devices, 1024 stages and 65536 "
        "micro-batches, got 1, 1 and 65537");
}
