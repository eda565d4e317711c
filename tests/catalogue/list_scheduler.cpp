// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

static_assert(schedule_type<zero_bubble_list<>>);
static_assert(costed_schedule<zero_bubble_list<>>);
static_assert(costed_schedule<zero_bubble_list<3>>);
static_assert(!zero_bubble_list<>::allows(4, 4, 1, purpose::training).found());
static_assert(zero_bubble_list<>::allows(5, 4, 8, purpose::training).found());

namespace {

constexpr std::int64_t makespan_of(const program& rows, const stage_graph& graph) {
  return facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view())).makespan;
}

/// The most forwards that a device keeps for a weight gradient to come.
constexpr int peak_of(const program_view& rows, int device) {
  int peak = 0;
  int held = 0;
  for (const action& what : rows.row(device)) {
    held += what.kind == action_kind::forward           ? 1
            : what.kind == action_kind::weight_gradient ? -1
                                                        : 0;
    peak = peak < held ? held : peak;
  }
  return peak;
}

/// The published numbers of ZB-H2 with its memory, and of ZB-H1 with that of 1F1B, for F = I = W:
/// bubbles of p - 1 forwards, with 2p - 1 micro-batches, and of p - 1, with p.
constexpr checks test_equal_costs() {
  const stage_graph graph = chain_stage_graph(4);
  const program full = zero_bubble_list<>::make(4, 4, 8);
  const program lean = zero_bubble_list<4>::make(4, 4, 8);
  checks done;
  done.that(prove(full.view(), graph.view()).proven());
  done.that(prove(lean.view(), graph.view()).proven());
  done.that(makespan_of(full, graph) == 27);
  done.that(makespan_of(lean, graph) == 27);
  done.that(peak_of(lean.view(), 0) <= 4);
  done.that(accumulates_ascending(full.view()));
  return done;
}

static_assert(test_equal_costs());

constexpr checks test_least_makespan() {
  const stage_graph graph = chain_stage_graph(4);
  const list<int> places = neighbouring_placement(4, 4);
  // The last device waits for three forwards, and after the last input gradient of the first one
  // nothing is left but a weight gradient.
  checks done;
  done.that(least_makespan(4, places, 8, graph.view()) == 3 + 24);
  done.that(optimality_gap(30, 24) == 0.25);
  done.that(optimality_gap(24, 24) == 0.0);
  return done;
}

static_assert(test_least_makespan());

/// Numbers from a seed, the same everywhere.
class dice {
 public:
  explicit dice(std::uint64_t seed) : seed_(seed) {}

  int between(int least, int most) {
    const std::uint32_t word = random_word(seed_, 0, count_);
    ++count_;
    return least +
           static_cast<int>(uniform_below(word, static_cast<std::uint32_t>(most - least + 1)));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

list<stage_cost> any_costs(dice& throws, int stages) {
  list<stage_cost> costs;
  const bool equal = throws.between(0, 2) == 0;
  for (int stage = 0; stage < stages; ++stage) {
    if (equal && stage > 0) {
      costs.push_back(costs.back());
    } else {
      costs.push_back({throws.between(0, 20), throws.between(0, 20), throws.between(0, 20),
                       throws.between(0, 3)});
    }
  }
  return costs;
}

/// Whether each stage does each kind of work once per micro-batch and in ascending order.
bool complete_and_ascending(const program& rows) {
  list<int> next(static_cast<std::size_t>(rows.stages * action_kinds), 0);
  for (const action& what : rows.actions) {
    int& expected =
        next[static_cast<std::size_t>(what.stage * action_kinds + static_cast<int>(what.kind))];
    if (expected != what.micro_batch) {
      return false;
    }
    ++expected;
  }
  return static_cast<int>(rows.actions.size()) == rows.stages * (3 * rows.micro_batches + 1);
}

}  // namespace

TEST_CASE("list schedules of uneven costs are proven, bounded, and no longer than 1F1B") {
  CHECK(test_equal_costs());
  CHECK(test_least_makespan());
  int checked = 0;
  int optimal = 0;
  double gap = 0.0;
  double gap_of_alternating = 0.0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    dice throws(seed);
    const int p = throws.between(1, 8);
    const int m = throws.between(1, 20);
    const int bound = throws.between(0, 1) == 0 ? 2 * p - 1 : throws.between(1, 2 * p);
    stage_graph graph = chain_stage_graph(p, any_costs(throws, p));
    graph.hop = throws.between(-6, 6) < 0 ? 0 : throws.between(0, 12);
    INFO("seed " << seed << " p " << p << " m " << m << " bound " << bound << " hop " << graph.hop);
    const list<int> places = neighbouring_placement(p, p);
    const program rows = list_schedule(p, places, m, graph.view(), bound);
    REQUIRE(complete_and_ascending(rows));
    REQUIRE(prove(rows.view(), graph.view()).proven());
    for (int device = 0; device < p; ++device) {
      REQUIRE(peak_of(rows.view(), device) <= bound);
    }
    const std::int64_t makespan = makespan_of(rows, graph);
    const std::int64_t least = least_makespan(p, places, m, graph.view());
    REQUIRE(least <= makespan);
    const std::int64_t alternating = makespan_of(interleaved::make(p, p, m), graph);
    REQUIRE(least <= alternating);
    REQUIRE((bound < p || makespan <= alternating));
    optimal += makespan == least ? 1 : 0;
    gap += bound < p ? 0.0 : optimality_gap(makespan, least);
    gap_of_alternating += bound < p ? 0.0 : optimality_gap(alternating, least);
    ++checked;
  }
  std::printf("checked %d list schedules, %d of them optimal, gap %.3f of that of 1F1B\n", checked,
              optimal, gap / gap_of_alternating);
  CHECK(optimal > 0);
  CHECK(gap < 0.25 * gap_of_alternating);
}

TEST_CASE("several stages a device get through with any memory") {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    dice throws(1000 + seed);
    const int p = throws.between(1, 5);
    const int stages = p * throws.between(1, 3);
    const int m = throws.between(1, 12);
    const int bound = throws.between(1, 2 * p);
    stage_graph graph = chain_stage_graph(stages, any_costs(throws, stages));
    graph.hop = throws.between(0, 3);
    INFO("seed " << seed << " p " << p << " stages " << stages << " m " << m << " bound " << bound);
    const int way = throws.between(0, 2);
    list<int> places = neighbouring_placement(p, stages);
    if (way > 0) {
      places = way == 1 ? looped_placement(p, stages) : snake_placement(p, stages);
    }
    const program rows = list_schedule(p, places, m, graph.view(), bound);
    REQUIRE(complete_and_ascending(rows));
    REQUIRE(prove(rows.view(), graph.view()).proven());
    for (int device = 0; device < p; ++device) {
      REQUIRE(peak_of(rows.view(), device) <= bound * stages / p);
    }
    REQUIRE(least_makespan(p, places, m, graph.view()) <= makespan_of(rows, graph));
    ++checked;
  }
  std::printf("checked %d list schedules of several stages a device\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("memory buys time") {
  int checked = 0;
  int shorter = 0;
  for (int p = 2; p <= 8; ++p) {
    const stage_graph graph = chain_stage_graph(p, stage_cost{3, 2, 2, 0});
    const list<int> places = neighbouring_placement(p, p);
    const std::int64_t least_memory =
        makespan_of(list_schedule(p, places, 4 * p, graph.view(), 1), graph);
    const std::int64_t most_memory =
        makespan_of(list_schedule(p, places, 4 * p, graph.view(), 2 * p - 1), graph);
    CHECK(most_memory <= least_memory);
    // One micro-batch at a time: nothing but weight gradients overlaps.
    CHECK(least_memory >= 4 * p * 5 * p);
    shorter += most_memory < least_memory ? 1 : 0;
    ++checked;
  }
  std::printf("checked %d bounds\n", checked);
  CHECK(shorter == checked);
}

TEST_CASE("a run counts the way between devices") {
  int checked = 0;
  for (int hop = 0; hop <= 6; hop += 2) {
    stage_graph graph = chain_stage_graph(2, stage_cost{4, 4, 4, 1});
    graph.hop = hop;
    const list<int> places = neighbouring_placement(2, 2);
    const auto work = list_scheduling::make_task(2, places, 1, graph.view());
    const list_scheduling::run only(work, 1, {});
    // F0 F1 I1 I0 W0 U0, there and back once.
    CHECK(only.makespan() == 5 * 4 + 1 + 2 * hop);
    CHECK(least_makespan(2, places, 1, graph.view()) == only.makespan());
    CHECK(makespan_of(only.rows(), graph) == only.makespan());
    ++checked;
  }
  std::printf("checked %d hops\n", checked);
  CHECK(checked > 0);
}
