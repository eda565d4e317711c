// SPDX-License-Identifier: MIT
#include <ipu_dsl/report/timeline.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "report/programs.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

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

TEST_CASE("one device, one stage and one micro-batch have no plural") {
  const std::string page = page_of(one_device(1, 1), {});
  CHECK(page.starts_with("schedule own: 1 device, 1 stage, 1 micro-batch\n"));
}

TEST_CASE("where a device has several stages, names say the stage") {
  const std::string page = page_of(one_device(2, 1), {.update = 1});
  CHECK(page.find("\ndevice 0  F0(0) F1(0) B1(0) -     B0(0) -     U0    U1\n"
                  "F1(0): forward of stage 1 on micro-batch 0, B1(0): its backward, "
                  "U1: update of stage 1, -: goes on, .: waits\n") != std::string::npos);
}

namespace {

/// The page of actions one after the other.
std::string page_back_to_back(const program& rows, const stage_cost& cost) {
  const list<timed_action> timeline = back_to_back(rows.view(), cost);
  return timeline_text(rows.view(), timeline, facts_of(rows.view(), timeline), "own",
                       {.width = 200});
}

}  // namespace

TEST_CASE("backwards in halves, several stages a device and joined actions are named") {
  const std::string page = page_back_to_back(split_program(true), {.update = 1});
  CHECK(page.find("\ndevice 0  F0(0)  F0(1)  F0(2)  F3(0)  I3(0)  W3(0)+ F3(1)  I3(1)  W3(1)+ "
                  "F3(2)  I3(2)  W3(2)  I0(0)  I0(1)  I0(2)  W0(0)  W0(1)  W0(2)  U0     U3     .\n"
                  "device 1  .      F1(0)") != std::string::npos);
  CHECK(page.find("\nF1(2): forward of stage 1 on micro-batch 2, I1(2): its input gradient, "
                  "W1(2): its weight gradient, U1: update of stage 1, +: one step with the next, "
                  "-: goes on, .: waits\n") != std::string::npos);
  CHECK(page.find("lockstep slots") == std::string::npos);
  CHECK(page_back_to_back(split_program(false), {}).find('+') == std::string::npos);
}

TEST_CASE("every kind of action has a name in text") {
  const std::string page = page_back_to_back(all_kinds_program(), {.update = 1, .offload = 2});
  CHECK(page.find("\ndevice 0  F0  O0  -   F1  L0  -   B0  -   R1+ I1  W1  U\n"
                  "F1: forward of micro-batch 1, B1: its backward, I1: its input gradient, "
                  "W1: its weight gradient, R1: its recompute, U: update, O1: its offload, "
                  "L1: its fetch, +: one step with the next, -: goes on, .: waits\n") !=
        std::string::npos);
}

TEST_CASE("two stages of one device are told apart though there are as many devices as stages") {
  const int placement[] = {0, 0};
  program rows(2, placement, 1);
  rows.put(action_kind::forward, 0, 0);
  rows.put(action_kind::forward, 1, 0);
  rows.end_row();
  rows.end_row();
  const std::string page = page_back_to_back(rows, {});
  CHECK(page.find("\ndevice 0  F0(0) F1(0)\ndevice 1  .     .\n") != std::string::npos);
  CHECK(page.find("stash") == std::string::npos);
  CHECK(page.find("gradients") == std::string::npos);
}

TEST_CASE("of several updates each has its number") {
  program rows(1, neighbouring_placement(1, 1), 2);
  for (int i = 0; i < 2; ++i) {
    rows.put(action_kind::forward, 0, i);
    rows.put(action_kind::backward, 0, i);
    rows.put(action_kind::update, 0, i);
  }
  rows.end_row();
  const std::string page = page_back_to_back(rows, {.update = 1});
  CHECK(page.find("\ndevice 0  F0 B0 -  U  F1 B1 -  U1\n"
                  "F1: forward of micro-batch 1, B1: its backward, U1: update 1, ") !=
        std::string::npos);
}

TEST_CASE("one column that is not shown is one") {
  const program rows = one_device(1, 4);
  const stage_graph graph = chain_stage_graph(1);
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view());
  const std::string page =
      timeline_text(rows.view(), timeline, facts_of(rows.view(), timeline), "own", {.width = 43});
  CHECK(page.find("; 1 more column is not shown\n") != std::string::npos);
}
