// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <vector>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

using kind = action_kind;

constexpr bool times_are(const program& rows, const stage_graph& graph,
                         std::initializer_list<timed_action> expected,
                         std::span<const int> slots = {}) {
  if (!prove(rows.view(), graph.view(), slots).proven()) {
    return false;
  }
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view(), slots);
  bool same = timeline.size() == expected.size();
  for (std::size_t i = 0; same && i < timeline.size(); ++i) {
    same = timeline[i] == expected.begin()[i];
  }
  return same;
}

/// F0 B0 U0 beside F1 B1 U1.
constexpr program one_micro_batch() {
  program rows(2, neighbouring_placement(2, 2), 1);
  for (int stage = 0; stage < 2; ++stage) {
    rows.put(kind::forward, stage, 0);
    rows.put(kind::backward, stage, 0);
    rows.put(kind::update, stage, 0);
    rows.end_row();
  }
  return rows;
}

constexpr bool test_hop() {
  stage_graph graph =
      chain_stage_graph(2, {.forward = 3, .input_gradient = 4, .weight_gradient = 1, .update = 2});
  bool right =
      times_are(one_micro_batch(), graph, {{0, 3}, {11, 16}, {16, 18}, {3, 6}, {6, 11}, {11, 13}});
  graph.hop = 10;
  return right && times_are(one_micro_batch(), graph,
                            {{0, 3}, {31, 36}, {36, 38}, {13, 16}, {16, 21}, {21, 23}});
}

static_assert(test_hop());

/// From one stage to another on the same device nothing travels.
constexpr bool test_hop_within() {
  program rows(1, neighbouring_placement(1, 2), 1);
  rows.put(kind::forward, 0, 0);
  rows.put(kind::forward, 1, 0);
  rows.end_row();
  stage_graph graph = chain_stage_graph(2);
  graph.hop = 10;
  return times_are(rows, graph, {{0, 1}, {1, 2}});
}

static_assert(test_hop_within());

/// Two stages, two micro-batches, 1F1B; the second device's B1(0) may be one step with F1(1).
constexpr program one_f_one_b_of_two(bool joined) {
  program rows(2, neighbouring_placement(2, 2), 2);
  rows.put(kind::forward, 0, 0);
  rows.put(kind::forward, 0, 1);
  rows.put(kind::backward, 0, 0);
  rows.put(kind::backward, 0, 1);
  rows.put(kind::update, 0, 0);
  rows.end_row();
  rows.put(kind::forward, 1, 0);
  if (joined) {
    rows.put_joined(kind::backward, 1, 0);
  } else {
    rows.put(kind::backward, 1, 0);
  }
  rows.put(kind::forward, 1, 1);
  rows.put(kind::backward, 1, 1);
  rows.put(kind::update, 1, 0);
  rows.end_row();
  return rows;
}

/// A joined step starts when all of it can, its parts follow each other, and what it hands on is
/// there at the end of it: B1(0) ends at 18, but B0(0) starts at 28.
constexpr bool test_joined() {
  const stage_graph graph = chain_stage_graph(
      2, list<stage_cost>{{.forward = 7, .update = 1}, {.forward = 10, .update = 1}});
  return times_are(one_f_one_b_of_two(false), graph,
                   {{0, 7},
                    {7, 14},
                    {19, 21},
                    {31, 33},
                    {33, 34},
                    {7, 17},
                    {17, 19},
                    {19, 29},
                    {29, 31},
                    {31, 32}}) &&
         times_are(one_f_one_b_of_two(true), graph,
                   {{0, 7},
                    {7, 14},
                    {29, 31},
                    {31, 33},
                    {33, 34},
                    {7, 17},
                    {17, 19},
                    {19, 29},
                    {29, 31},
                    {31, 32}});
}

static_assert(test_joined());

/// A step waits for the last of its parts: B1(0) for F0(1), which F1(1) reads.
constexpr bool test_joined_waits() {
  const stage_graph graph = chain_stage_graph(2, list<stage_cost>{{.forward = 7}, {.forward = 2}});
  return times_are(one_f_one_b_of_two(false), graph,
                   {{0, 7},
                    {7, 14},
                    {14, 16},
                    {18, 20},
                    {20, 20},
                    {7, 9},
                    {9, 11},
                    {14, 16},
                    {16, 18},
                    {18, 18}}) &&
         times_are(one_f_one_b_of_two(true), graph,
                   {{0, 7},
                    {7, 14},
                    {18, 20},
                    {20, 22},
                    {22, 22},
                    {7, 9},
                    {14, 16},
                    {16, 18},
                    {18, 20},
                    {20, 20}});
}

static_assert(test_joined_waits());

/// Writing waits for the last reader of the slot's tenant: with one slot F0(1) for B1(0),
/// and B1(1) for B0(0).
constexpr bool test_slots() {
  const stage_graph graph = chain_stage_graph(2);
  const list<int> one_slot = {1, 1, 2, 1};
  const program rows = one_f_one_b_of_two(false);
  return times_are(
             rows, graph,
             {{0, 1}, {1, 2}, {4, 6}, {7, 9}, {9, 9}, {1, 2}, {2, 4}, {4, 5}, {5, 7}, {7, 7}}) &&
         times_are(
             rows, graph,
             {{0, 1}, {4, 5}, {5, 7}, {9, 11}, {11, 11}, {1, 2}, {2, 4}, {5, 6}, {7, 9}, {9, 9}},
             one_slot);
}

static_assert(test_slots());

/// An offload and its fetch take their time on the device, a recomputation that of a forward.
constexpr bool test_memory_actions() {
  program rows(1, neighbouring_placement(1, 1), 1);
  rows.put(kind::forward, 0, 0);
  rows.put(kind::offload, 0, 0);
  rows.put(kind::fetch, 0, 0);
  rows.put(kind::recompute, 0, 0);
  rows.put(kind::input_gradient, 0, 0);
  rows.put(kind::weight_gradient, 0, 0);
  rows.put(kind::update, 0, 0);
  rows.end_row();
  const stage_graph graph = chain_stage_graph(
      1, {.forward = 3, .input_gradient = 5, .weight_gradient = 7, .update = 11, .offload = 13});
  return times_are(rows, graph,
                   {{0, 3}, {3, 16}, {16, 29}, {29, 32}, {32, 37}, {37, 44}, {44, 55}});
}

static_assert(test_memory_actions());

/// Stage 0 and its copy, stage 1, on two devices. An update comes after both backwards: U0 waits
/// for the slower copy.
constexpr bool test_copies() {
  program rows(2, list<int>{0, 1}, 1);
  rows.weights.copies = 2;
  for (int stage = 0; stage < 2; ++stage) {
    rows.put(kind::forward, stage, 0);
    rows.put(kind::input_gradient, stage, 0);
    rows.put(kind::weight_gradient, stage, 0);
    rows.put(kind::update, stage, 0);
    rows.end_row();
  }
  const list<stage_cost> costs = {{.forward = 1, .update = 2}, {.forward = 5, .update = 2}};
  const stage_graph graph = chain_stage_graph(2, costs, output_use::forward_only, 2);
  const bool together =
      times_are(rows, graph, {{0, 1}, {1, 2}, {2, 3}, {7, 9}, {0, 5}, {5, 6}, {6, 7}, {7, 9}});
  rows.weights.copies = 1;
  return together &&
         times_are(rows, graph, {{0, 1}, {1, 2}, {2, 3}, {3, 5}, {0, 5}, {5, 6}, {6, 7}, {7, 9}});
}

static_assert(test_copies());

constexpr std::int64_t makespan(const program& rows, const stage_graph& graph) {
  return facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view())).makespan;
}

constexpr checks test_early_update_of_copy() {
  checks done;
  // The update of stage 0 stands before the other copy's backward even starts.
  program rows(2, list<int>{0, 1}, 2);
  rows.weights.copies = 2;
  for (int stage = 0; stage < 2; ++stage) {
    for (int i = 0; i < 2; ++i) {
      rows.put(kind::forward, stage, i);
      rows.put(kind::backward, stage, i);
    }
    rows.put(kind::update, stage, 0);
    rows.end_row();
  }
  stage_graph graph = chain_stage_graph(2, stage_cost(), output_use::forward_only, 2);
  graph.costs[1].forward = 50;
  done.that(prove(rows.view(), graph.view()).proven());
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view());
  done.that(timeline[3].end == 6);
  done.that(timeline[4].start == 104);
  done.that(timeline[9].start == 104);
  return done;
}

static_assert(test_early_update_of_copy());

constexpr checks test_recomputation_may_read() {
  checks done;
  // F1(0) B1(0) U1 beside F0(0) B0(0) U0, with B1 reading F0, and R1 if there were one.
  const program rows = one_micro_batch();
  stage_graph graph = {.stages = 2, .edges = {}, .readers = {}, .costs = {{.forward = 10}, {}}};
  graph.add_edge({0, kind::forward}).read_by(1, kind::recompute).read_by(1, kind::backward);
  done.that(asynchronous_timeline(rows.view(), graph.view())[4].start == 10);
  // A slot is free when F1 has read it, R1 or not: F0(1) waits for F1(0).
  program forwards(2, neighbouring_placement(2, 2), 2);
  for (int stage = 0; stage < 2; ++stage) {
    for (const kind what : {kind::forward, kind::backward}) {
      forwards.put(what, stage, 0);
      forwards.put(what, stage, 1);
    }
    forwards.put(kind::update, stage, 0);
    forwards.end_row();
  }
  graph.edges = {};
  graph.add_edge({0, kind::forward}).read_by(1, kind::forward).read_by(1, kind::recompute);
  const list<int> one_slot = {1};
  done.that(prove(forwards.view(), graph.view(), one_slot).proven());
  done.that(asynchronous_timeline(forwards.view(), graph.view(), one_slot)[1].start == 11);
  return done;
}

static_assert(test_recomputation_may_read());

}  // namespace

TEST_CASE("timelines by hand") {
  CHECK(test_hop());
  CHECK(test_hop_within());
  CHECK(test_joined());
  CHECK(test_joined_waits());
  CHECK(test_slots());
  CHECK(test_memory_actions());
  CHECK(test_copies());
}

TEST_CASE("an early update of a copy is a wait and not a fault") {
  CHECK(test_early_update_of_copy());
}

TEST_CASE("an edge that a recomputation may read makes others wait where nobody recomputes") {
  CHECK(test_recomputation_may_read());
}

TEST_CASE("a hop costs 1F1B more than eager 1F1B and GPipe") {
  const auto with_hop = [](const program& rows, std::int64_t quarters) {
    // In quarters of a time unit: F = 4, B = 8.
    stage_graph graph =
        chain_stage_graph(rows.stages, {.forward = 4, .input_gradient = 4, .weight_gradient = 4});
    graph.hop = quarters;
    return makespan(rows, graph);
  };

  struct row {
    std::int64_t quarters;
    std::int64_t alternating;
    std::int64_t eager;
    std::int64_t filled;
  };

  // Four devices, 16 micro-batches, F = 1, B = 2: makespans for hops of 0.25, 0.5, 1 and 2.
  const std::vector<row> table = {
      {1, 4 * 64, 4 * 58 + 2, 4 * 58 + 2},
      {2, 4 * 71, 4 * 60, 4 * 60},
      {4, 4 * 85, 4 * 63, 4 * 63},
      {8, 4 * 113, 4 * 75, 4 * 69},
  };
  int checked = 0;
  for (const row& each : table) {
    INFO("hop " << each.quarters << " / 4");
    CHECK(with_hop(one_f_one_b::make(4, 4, 16), each.quarters) == each.alternating);
    CHECK(with_hop(eager_one_f_one_b::make(4, 4, 16), each.quarters) == each.eager);
    CHECK(with_hop(gpipe::make(4, 4, 16), each.quarters) == each.filled);
    checked += 3;
  }
  std::printf("checked %d makespans with hops\n", checked);
  CHECK(checked == 12);
}

TEST_CASE("more of a cost, a hop or fewer slots never end a run sooner") {
  int checked = 0;
  int strict = 0;
  for (const program& rows :
       {one_f_one_b::make(3, 3, 6), zb_h1::make(3, 3, 6), dualpipe::make(4, 8, 10)}) {
    const stage_graph graph = chain_stage_graph(rows.stages, {2, 3, 2, 1, 1, 1},
                                                output_use::own_backward, rows.weights.copies);
    const std::int64_t base = makespan(rows, graph);
    std::int64_t before = base;
    for (int hop = 1; hop <= 5; ++hop) {
      stage_graph farther = graph;
      farther.hop = hop;
      const std::int64_t now = makespan(rows, farther);
      REQUIRE(now >= before);
      strict += now > before;
      before = now;
      ++checked;
    }
    for (std::size_t stage = 0; stage < graph.costs.size(); ++stage) {
      stage_graph slower = graph;
      ++slower.costs[stage].forward;
      REQUIRE(makespan(rows, slower) >= base);
      ++checked;
    }
    for (std::size_t link = 0; link < graph.edges.size(); ++link) {
      list<int> slots(graph.edges.size(), rows.micro_batches);
      before = base;
      for (int count = rows.micro_batches; count > 0; --count) {
        slots[link] = count;
        if (!prove(rows.view(), graph.view(), slots).proven()) {
          break;
        }
        const facts found =
            facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view(), slots));
        REQUIRE(found.makespan >= before);
        strict += found.makespan > before;
        before = found.makespan;
        ++checked;
      }
    }
  }
  std::printf("checked %d runs, %d of them longer\n", checked, strict);
  CHECK(checked > 0);
  CHECK(strict > 0);
}

TEST_CASE("parts of joined steps in lockstep follow each other in their slot") {
  program rows = one_f_one_b_of_two(true);
  rows.slot = {0, 1, 3, 4, 5, 1, 2, 2, 3, 5};
  const stage_graph graph =
      chain_stage_graph(2, {.forward = 3, .input_gradient = 1, .weight_gradient = 1, .update = 1});
  const list<timed_action> timeline = lockstep_timeline(rows.view(), graph.view());
  const std::vector<timed_action> expected = {{0, 3}, {3, 6}, {11, 13}, {13, 15}, {15, 16},
                                              {3, 6}, {6, 8}, {8, 11},  {11, 13}, {15, 16}};
  REQUIRE(timeline.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO(describe(rows.actions[i]).view());
    CHECK(timeline[i].start == expected[i].start);
    CHECK(timeline[i].end == expected[i].end);
  }
}

TEST_CASE("in lockstep every action of a program without time slots takes one") {
  int checked = 0;
  for (const int micro_batches : {4, 7}) {
    const program rows = gpipe::make(3, 3, micro_batches);
    REQUIRE(rows.slot.empty());
    const stage_graph graph = chain_stage_graph(3);
    program with_slots = rows;
    with_slots.slot = unit_slots(rows.view(), graph.view());
    const list<timed_action> without = lockstep_timeline(rows.view(), graph.view());
    const list<timed_action> with = lockstep_timeline(with_slots.view(), graph.view());
    REQUIRE(without.size() == with.size());
    CHECK(makespan_of(without) == (micro_batches + 2) * 3);  // forward 1, backward 2
    for (std::size_t i = 0; i < with.size(); ++i) {
      CHECK(without[i].start == with[i].start);
      CHECK(without[i].end == with[i].end);
      ++checked;
    }
  }
  std::printf("checked %d actions\n", checked);
  CHECK(checked > 0);
}
