// SPDX-License-Identifier: MIT
// Every schedule of the catalogue, written as text and read again.
#include <cstdio>
#include <string>

#include <ipu_dsl/schedule/catalogue/asynchronous.hpp>
#include <ipu_dsl/schedule/catalogue/bidirectional.hpp>
#include <ipu_dsl/schedule/catalogue/fill.hpp>
#include <ipu_dsl/schedule/catalogue/inference.hpp>
#include <ipu_dsl/schedule/catalogue/list_scheduler.hpp>
#include <ipu_dsl/schedule/catalogue/looped.hpp>
#include <ipu_dsl/schedule/catalogue/v_blocks.hpp>
#include <ipu_dsl/schedule/catalogue/v_shape.hpp>
#include <ipu_dsl/schedule/catalogue/zero_bubble.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/text/csv_reader.hpp>
#include <ipu_dsl/schedule/text/csv_writer.hpp>

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
