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
        "one column is 1 modelled cost units\n"
        "makespan 9 modelled cost units\n"
        "flush bubble 3 = 33.3 % of makespan\n"
        "span bubble 3\n"
        "idle share 33.3 % of all devices' time\n"
        "speed-up 1.33x, bound 2.00x\n"
        "stash per stage 2 1 micro-batches\n"
        "lockstep slots 7\n"
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
  CHECK(page.find(" us\n") != std::string::npos);
  std::size_t longest = 0;
  for (std::size_t begin = page.find('\n') + 1, i = 0; i < 2; ++i) {
    const std::size_t end = page.find('\n', begin);
    longest = longest < end - begin ? end - begin : longest;
    begin = end + 1;
  }
  CHECK(longest > 0);
  CHECK(longest <= 60);
}
