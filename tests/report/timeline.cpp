// SPDX-License-Identifier: MIT
#include <ipu_dsl/report/timeline.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

TEST_CASE("a timeline reads like a drawing") {
  const program rows = interleaved::make(2, 2, 2);
  const stage_graph graph = chain_stage_graph(2);
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view());
  const std::string page =
      timeline_text(rows.view(), timeline, facts_of(rows.view(), timeline), "interleaved");
  CHECK(page ==
        "schedule interleaved: 2 devices, 2 stages, 2 micro-batches\n"
        "device 0  F0 F1 .  .  B0 -  .  B1 -\n"
        "device 1  .  F0 B0 -  F1 B1 -  .  .\n"
        "F1: forward of micro-batch 1, B1: its backward, -: goes on, .: waits\n"
        "one column is 1 modelled cost unit\n"
        "makespan 9 modelled cost units: end of the last action\n"
        "flush bubble 3 = 33.3 % of makespan: the busiest device waits\n"
        "span bubble 3: most that a device waits between its first and last action\n"
        "idle share 33.3 % of all devices' time\n"
        "speed-up 1.33x over one device, bound 2.00x\n"
        "stash per stage 2, 1 micro-batches: most kept between forward and backward\n"
        "lockstep slots 7: time slots if all devices wait for each other\n"
        "gradients accumulate in ascending order of micro-batches\n");
}

TEST_CASE("a long timeline is cut at the width and says so") {
  const program rows = grouped::make(2, 4, 16);
  const stage_graph graph = chain_stage_graph(4);
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view());
  const std::string page =
      timeline_text(rows.view(), timeline, facts_of(rows.view(), timeline), "grouped", {60, "us"});
  CHECK(page.find("F0(0) ") != std::string::npos);
  CHECK(page.find("more columns are not shown") != std::string::npos);
  CHECK(page.find(" us: end of the last action\n") != std::string::npos);
  CHECK(page.find("\nF1(2): forward of stage 1 on micro-batch 2, B1(2): its backward, ") !=
        std::string::npos);
  std::size_t longest = 0;
  for (std::size_t begin = page.find('\n') + 1, i = 0; i < 2; ++i) {
    const std::size_t end = page.find('\n', begin);
    longest = longest < end - begin ? end - begin : longest;
    begin = end + 1;
  }
  CHECK(longest > 0);
  CHECK(longest <= 60);
}

namespace {

/// `stages` stages on one device, every action written out for `micro_batches`, with an update.
program one_device(int stages, int micro_batches) {
  const list<int> placement = neighbouring_placement(1, stages);
  program rows(1, placement, micro_batches);
  for (int micro_batch = 0; micro_batch < micro_batches; ++micro_batch) {
    for (int stage = 0; stage < stages; ++stage) {
      rows.put(action_kind::forward, stage, micro_batch);
    }
    for (int stage = stages; stage-- > 0;) {
      rows.put(action_kind::backward, stage, micro_batch);
    }
  }
  for (int stage = 0; stage < stages; ++stage) {
    rows.put(action_kind::update, stage, 0);
  }
  rows.end_row();
  return rows;
}

std::string page_of(const program& rows, const stage_cost& cost) {
  const list<stage_cost> costs(static_cast<std::size_t>(rows.stages), cost);
  const stage_graph graph = chain_stage_graph(rows.stages, costs);
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view());
  return timeline_text(rows.view(), timeline, facts_of(rows.view(), timeline), "own");
}

}  // namespace

TEST_CASE("where a device has one stage, digits are micro-batches and an update has none") {
  const std::string page =
      page_of(one_device(1, 3),
              {.forward = 1'009, .input_gradient = 1, .weight_gradient = 2'003, .update = 7});
  CHECK(page.find("\ndevice 0  F0 B0 F1 B1 F2 B2 U\n"
                  "F2: forward of micro-batch 2, B2: its backward, U: update, -: goes on, "
                  ".: waits\n"
                  "a column ends where an action starts or ends: columns differ in length\n") !=
        std::string::npos);
}

TEST_CASE("where a device has several stages, names say the stage") {
  const std::string page = page_of(one_device(2, 1), {.update = 1});
  CHECK(page.find("\ndevice 0  F0(0) F1(0) B1(0) -     B0(0) -     U0    U1\n"
                  "F1(0): forward of stage 1 on micro-batch 0, B1(0): its backward, "
                  "U1: update of stage 1, -: goes on, .: waits\n") != std::string::npos);
}
