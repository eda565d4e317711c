// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/schedule/analysis.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

std::int64_t makespan(const program& rows, const stage_graph& graph, std::span<const int> slots) {
  if (!prove(rows.view(), graph.view(), slots).proven()) {
    return -1;
  }
  std::int64_t last = 0;
  for (const timed_action& times : asynchronous_timeline(rows.view(), graph.view(), slots)) {
    last = last < times.end ? times.end : last;
  }
  return last;
}

/// By the definition: edge by edge, the least count that keeps the property.
template <typename Property>
list<int> searched(const program& rows, const stage_graph& graph, const Property& holds) {
  list<int> slots = unbounded_slots(rows.view(), graph.view());
  for (std::size_t link = 0; link < slots.size(); ++link) {
    for (int count = 1; count <= rows.micro_batches; ++count) {
      slots[link] = count;
      if (holds(slots)) {
        break;
      }
    }
  }
  return slots;
}

bool equal(const list<int>& left, const list<int>& right) {
  bool same = left.size() == right.size();
  for (std::size_t i = 0; same && i < left.size(); ++i) {
    same = left[i] == right[i];
  }
  return same;
}

int check_searches(const program& rows, const stage_graph& graph) {
  const list<int> least = searched(rows, graph, [&](const list<int>& slots) {
    return prove(rows.view(), graph.view(), slots).proven();
  });
  REQUIRE(equal(least_slots(rows.view(), graph.view()), least));
  const list<int> unbounded = unbounded_slots(rows.view(), graph.view());
  const std::int64_t best = makespan(rows, graph, unbounded);
  const list<int> unstalled = searched(
      rows, graph, [&](const list<int>& slots) { return makespan(rows, graph, slots) == best; });
  REQUIRE(equal(slots_without_stall(rows.view(), graph.view()), unstalled));
  const list<int> undelayed = slots_without_delay(rows.view(), graph.view());
  const list<timed_action> free_run = asynchronous_timeline(rows.view(), graph.view(), unbounded);
  const list<timed_action> run = asynchronous_timeline(rows.view(), graph.view(), undelayed);
  for (std::size_t i = 0; i < run.size(); ++i) {
    REQUIRE(run[i] == free_run[i]);
  }
  return 3 * static_cast<int>(least.size());
}

stage_graph odd_graph(int stages, int seed, output_use use) {
  list<stage_cost> costs;
  for (int stage = 0; stage < stages; ++stage) {
    costs.push_back({1 + (seed * 7 + stage * 5) % 11, 1 + (seed * 3 + stage) % 7,
                     (seed + stage * stage) % 5, (seed + stage) % 3});
  }
  return chain_stage_graph(stages, costs, use);
}

}  // namespace

TEST_CASE("slots are those of the definition") {
  int checked = 0;
  for (int stages = 2; stages <= 4; ++stages) {
    for (int seed = 0; seed < 6; ++seed) {
      const output_use use = seed % 2 == 0 ? output_use::forward_only : output_use::own_backward;
      const stage_graph graph = odd_graph(stages, seed, use);
      for (const int m : {stages, 2 * stages + 1, 4 * stages}) {
        checked += check_searches(grouped::make(stages, stages, m), graph);
        checked += check_searches(interleaved::make(stages, stages, m), graph);
        checked += check_searches(sequential_schedule::make(stages, stages, m), graph);
        checked += check_searches(grouped::make(stages - 1, stages, m), graph);
        checked += check_searches(grouped::make_forward(stages, stages, m), graph);
      }
    }
  }
  std::printf("checked %d slot counts\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("a search in pieces is the search in one") {
  const program rows = grouped::make(4, 4, 16);
  const stage_graph graph = odd_graph(4, 3, output_use::forward_only);
  const list<int> whole = least_slots(rows.view(), graph.view());
  const list<int> first = least_slots(rows.view(), graph.view(), {0, 3});
  CHECK(equal(least_slots(rows.view(), graph.view(), {3, 10}, first), whole));
  const list<int> unstalled = slots_without_stall(rows.view(), graph.view());
  const list<int> half = slots_without_stall(rows.view(), graph.view(), {0, 5});
  CHECK(equal(slots_without_stall(rows.view(), graph.view(), {5, 10}, half), unstalled));
}

TEST_CASE("slots of a short program are confirmed on the real one") {
  int checked = 0;
  int raised = 0;
  for (int stages = 2; stages <= 6; ++stages) {
    for (int seed = 0; seed < 8; ++seed) {
      const stage_graph graph = odd_graph(stages, seed, output_use::forward_only);
      const int m = 10 * stages;
      const int few = searched_micro_batches<grouped>(stages, stages, m, purpose::training);
      CHECK(few <= 4 * stages);
      const program brief = grouped::make(stages, stages, few);
      const program rows = grouped::make(stages, stages, m);
      const list<int> found = slots_without_stall(brief.view(), graph.view());
      const list<int> slots = confirm_without_stall(rows.view(), graph.view(),
                                                    analyse(rows.view(), graph.view()), found);
      raised += !equal(found, slots);
      REQUIRE(makespan(rows, graph, slots) ==
              makespan(rows, graph, unbounded_slots(rows.view(), graph.view())));
      const list<int> least =
          confirm_least(rows.view(), graph.view(), least_slots(brief.view(), graph.view()));
      REQUIRE(prove(rows.view(), graph.view(), least).proven());
      checked += 2;
    }
  }
  std::printf("checked %d real programs, slots raised on %d\n", checked, raised);
  CHECK(checked > 0);
}
