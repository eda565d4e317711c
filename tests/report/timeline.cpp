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
        "device 1  .  F0 B0 -  F1 B1 -\n"
        "one column is 1 modelled cost units\n");
}
