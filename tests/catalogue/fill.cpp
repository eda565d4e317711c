// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

static_assert(schedule_type<gpipe> && gpipe::name == "gpipe");
static_assert(schedule_type<one_f_one_b> && one_f_one_b::name == "1f1b");
static_assert(schedule_type<eager_one_f_one_b> && eager_one_f_one_b::name == "eager-1f1b");
static_assert(schedule_type<fill<2, 1, 0>> && fill<2, 1, 0>::name == "fill");

constexpr bool proves(const program& rows) {
  const stage_graph graph = chain_stage_graph(rows.stages);
  return prove(rows.view(), graph.view()).proven();
}

constexpr facts facts_with(const program& rows, const stage_graph& graph) {
  return facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view()));
}

constexpr bool same_rows(const program& left, const program& right) {
  return std::ranges::equal(left.actions, right.actions) &&
         std::ranges::equal(left.row_begin, right.row_begin) &&
         std::ranges::equal(left.device_of_stage, right.device_of_stage);
}

/// GPipe of stages with different costs: both halves are paced by their slowest stage.
constexpr std::int64_t gpipe_makespan(const stage_graph& graph, int micro_batches) {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  std::int64_t slowest_forward = 0;
  std::int64_t slowest_backward = 0;
  for (const stage_cost& cost : graph.costs) {
    forward += cost.forward;
    backward += cost.of(action_kind::backward);
    slowest_forward = std::max(slowest_forward, cost.forward);
    slowest_backward = std::max(slowest_backward, cost.of(action_kind::backward));
  }
  return forward + backward + (micro_batches - 1) * (slowest_forward + slowest_backward);
}

/// Stages with a forward of these costs and backwards of twice as much.
constexpr stage_graph uneven(std::initializer_list<std::int64_t> forwards) {
  list<stage_cost> costs;
  for (const std::int64_t forward : forwards) {
    costs.push_back({forward, forward, forward});
  }
  return chain_stage_graph(static_cast<int>(costs.size()), costs);
}

/// The theorem of the family for three devices and four micro-batches, with this first number and
/// every other two.
constexpr int agreements(int first) {
  int agreed = 0;
  for (int second = 0; second <= 4; ++second) {
    for (int third = 0; third <= 4; ++third) {
      const list<int> ahead = {first, second, third};
      agreed += proves(fill_rows(3, 4, ahead)) == fill_is_free_of_deadlock(4, ahead);
    }
  }
  return agreed;
}

static_assert(agreements(0) == 25);
static_assert(agreements(1) == 25);
static_assert(agreements(2) == 25);
static_assert(agreements(3) == 25);
static_assert(agreements(4) == 25);

static_assert(facts_with(gpipe::make(4, 4, 8), uneven({1, 1, 1, 1})).makespan == 33);
static_assert(facts_with(one_f_one_b::make(4, 4, 8), uneven({1, 1, 1, 1})).makespan == 33);
static_assert(facts_with(eager_one_f_one_b::make(4, 4, 8), uneven({1, 1, 1, 1})).makespan == 33);
static_assert(facts_with(one_f_one_b::make(4, 4, 8), uneven({2, 1, 1, 1})).makespan == 51);
static_assert(same_rows(interleaved::make(3, 3, 6), one_f_one_b::make(3, 3, 6)));
static_assert(same_rows(fill<2, 1, 0>::make(3, 3, 5), one_f_one_b::make(3, 3, 5)));

static_assert(fill<1, 2>::allows(2, 2, 4, purpose::training).message().view() ==
              "schedule fill: expected no device with more forwards ahead than the one before it, "
              "got 2 on device 1 after 1. Hint: give device 1 at most 1, or device 0 at least 2");
static_assert(fill<1, 4>::allows(2, 2, 4, purpose::training).message().view() ==
              "schedule fill: expected no device with more forwards ahead than the one before it, "
              "got 4 on device 1 after 1. Hint: give device 1 at most 1, or device 0 at least 3");
static_assert(fill<1, 0>::allows(3, 3, 4, purpose::training).message().view() ==
              "schedule fill: expected forwards ahead for each of 3 devices, got 2 numbers. "
              "Hint: use 2 devices, or name one number a device");
static_assert(fill<0, -1>::allows(2, 2, 4, purpose::training).message().view() ==
              "schedule fill: expected at least 0 forwards ahead on each device, got -1 on device "
              "1. Hint: use 0 to run a backward after every forward");
static_assert(one_f_one_b::allows(2, 4, 4, purpose::training).message().view() ==
              "schedule 1f1b: expected 1 stage on each of 2 devices, got 4 stages. Hint: cut the "
              "model into 2 stages, or use 4 devices");
static_assert(gpipe::allows(2, 2, 0, purpose::training).found());
static_assert(!fill<1, 2>::allows(2, 2, 4, purpose::inference).found());
static_assert(!fill<1, 2>::allows(2, 2, 2, purpose::training).found());

/// Everything that is known of a member of the family on stages that cost the same.
template <typename Schedule>
int check_even(int stages, int micro_batches, const stage_cost& cost) {
  const program rows = Schedule::make(stages, stages, micro_batches);
  REQUIRE_FALSE(Schedule::allows(stages, stages, micro_batches, purpose::training).found());
  REQUIRE(proves(rows));
  REQUIRE(proves(Schedule::make_forward(stages, stages, micro_batches)));
  const facts found = facts_with(rows, chain_stage_graph(stages, cost));
  const std::int64_t one = cost.forward + cost.of(action_kind::backward);
  REQUIRE(found.makespan == (micro_batches + stages - 1) * one);
  REQUIRE(found.flush_bubble() == (stages - 1) * one);
  REQUIRE(found.span_bubble == (stages - 1) * one);
  REQUIRE(found.ascending);
  const list<int> kept = peak_stash_of_stages(rows.view());
  for (int stage = 0; stage < stages; ++stage) {
    const int ahead = Schedule::ahead(stages, stage, micro_batches);
    REQUIRE(kept[static_cast<std::size_t>(stage)] == std::min(micro_batches, ahead + 1));
  }
  return 7 + stages;
}

constexpr checks test_slow_stage() {
  checks done;
  const auto makespans = [](const stage_graph& graph) {
    return std::array{facts_with(gpipe::make(4, 4, 8), graph).makespan,
                      facts_with(one_f_one_b::make(4, 4, 8), graph).makespan,
                      facts_with(eager_one_f_one_b::make(4, 4, 8), graph).makespan};
  };
  using three = std::array<std::int64_t, 3>;
  done.that(makespans(uneven({2, 1, 1, 1})) == three{57, 51, 48});
  done.that(makespans(uneven({1, 2, 1, 1})) == three{57, 53, 51});
  done.that(makespans(uneven({1, 1, 1, 2})) == three{57, 57, 57});
  return done;
}

static_assert(test_slow_stage());

constexpr checks test_running_ahead() {
  checks done;
  // Quarters of a unit: a hop of 1 is a quarter of a forward.
  const auto makespan = [](const program& rows, std::int64_t hop) {
    stage_graph graph = chain_stage_graph(4, {4, 4, 4});
    graph.hop = hop;
    return facts_with(rows, graph).makespan;
  };
  const program one = one_f_one_b::make(4, 4, 16);
  const program eager = eager_one_f_one_b::make(4, 4, 16);
  const program all = gpipe::make(4, 4, 16);
  done.that(makespan(one, 1) == 4 * 64);
  done.that(makespan(eager, 1) == 4 * 58 + 2);
  done.that(makespan(all, 1) == 4 * 58 + 2);
  done.that(makespan(one, 2) == 4 * 71);
  done.that(makespan(eager, 2) == 4 * 60);
  done.that(makespan(one, 4) == 4 * 85);
  done.that(makespan(eager, 4) == 4 * 63);
  done.that(makespan(one, 8) == 4 * 113);
  done.that(makespan(eager, 8) == 4 * 75);
  done.that(makespan(all, 8) == 4 * 69);
  return done;
}

static_assert(test_running_ahead());

}  // namespace

TEST_CASE("the family is proven, and its facts have their closed forms") {
  int checked = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    for (int m = 1; m <= 3 * stages + 2; ++m) {
      for (const stage_cost& cost : {stage_cost{1, 1, 1}, stage_cost{3, 1, 1}, stage_cost{2, 5, 4},
                                     stage_cost{7, 3, 0}, stage_cost{1, 0, 0}}) {
        checked += check_even<gpipe>(stages, m, cost);
        checked += check_even<one_f_one_b>(stages, m, cost);
        checked += check_even<eager_one_f_one_b>(stages, m, cost);
      }
    }
  }
  std::printf("checked %d facts of gpipe, 1f1b and eager 1f1b\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("the bubble of the family is p - 1 of m + p - 1") {
  const facts found = facts_with(gpipe::make(4, 4, 12), chain_stage_graph(4));
  CHECK(found.flush_bubble_share() == Approx(3.0 / 15.0));
}

TEST_CASE("stages of different costs: GPipe exactly, 1F1B and eager 1F1B at most") {
  int checked = 0;
  int faster = 0;
  for (int seed = 1; seed <= 200; ++seed) {
    const int stages = 2 + seed % 5;
    const int m = 1 + seed % 13;
    list<stage_cost> costs;
    for (int stage = 0; stage < stages; ++stage) {
      costs.push_back({1 + (seed * 7 + stage * 5) % 11, 1 + (seed * 3 + stage) % 7,
                       (seed + stage * stage) % 5});
    }
    const stage_graph graph = chain_stage_graph(stages, costs);
    const std::int64_t bound = gpipe_makespan(graph, m);
    const facts all = facts_with(gpipe::make(stages, stages, m), graph);
    const facts one = facts_with(one_f_one_b::make(stages, stages, m), graph);
    const facts eager = facts_with(eager_one_f_one_b::make(stages, stages, m), graph);
    REQUIRE(all.makespan == bound);
    REQUIRE(one.makespan <= bound);
    REQUIRE(eager.makespan <= bound);
    REQUIRE(one.work == all.work);
    checked += 4;
    faster += one.makespan < bound;
  }
  std::printf("checked %d makespans of different stages, 1f1b below gpipe in %d\n", checked,
              faster);
  CHECK(checked > 0);
  CHECK(faster > 0);
}

TEST_CASE("one slow stage of four: its place decides what 1F1B gains") {
  CHECK(test_slow_stage());
}

TEST_CASE("running further ahead hides the time from device to device") {
  CHECK(test_running_ahead());
}

TEST_CASE("the reference's three schedules are members of the family") {
  int checked = 0;
  for (int stages = 2; stages <= 8; ++stages) {
    const list<int> nothing_ahead(static_cast<std::size_t>(stages), 0);
    for (int m = 1; m <= 5 * stages; ++m) {
      REQUIRE(
          same_rows(grouped::make(stages, stages, m), eager_one_f_one_b::make(stages, stages, m)));
      REQUIRE(
          same_rows(interleaved::make(stages, stages, m), one_f_one_b::make(stages, stages, m)));
      REQUIRE(same_rows(sequential_schedule::make(stages, stages, m),
                        fill_rows(stages, m, nothing_ahead)));
      checked += 3;
    }
  }
  std::printf("checked %d programs of the reference\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("DeepSpeed's steps by parity are 1F1B") {
  int checked = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    for (int m = 1; m <= 4 * stages + 1; ++m) {
      program rows(stages, neighbouring_placement(stages, stages), m);
      for (int stage = 0; stage < stages; ++stage) {
        for (int time = 0; time < 2 * (m + stages - 1); ++time) {
          // A forward if time and stage are both even or both odd; halves round down.
          const bool forward = time % 2 == stage % 2;
          const int micro_batch =
              forward ? time / 2 - stage / 2 : (time + 1) / 2 - stages + (stage + 1) / 2;
          if (micro_batch >= 0 && micro_batch < m) {
            rows.put(forward ? action_kind::forward : action_kind::backward, stage, micro_batch);
          }
        }
        rows.put(action_kind::update, stage, 0);
        rows.end_row();
      }
      REQUIRE(same_rows(rows, one_f_one_b::make(stages, stages, m)));
      ++checked;
    }
  }
  std::printf("checked %d programs of DeepSpeed's steps\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("a member waits forever if and only if a device runs further ahead than the one before") {
  int checked = 0;
  int legal = 0;
  for (int m = 1; m <= 5; ++m) {
    for (int code = 0; code < 625; ++code) {
      const list<int> ahead = {code / 125, code / 25 % 5, code / 5 % 5, code % 5};
      const bool proven = proves(fill_rows(4, m, ahead));
      REQUIRE(proven == fill_is_free_of_deadlock(m, ahead));
      ++checked;
      legal += proven;
    }
  }
  int with_three = 0;
  for (int first = 0; first <= 4; ++first) {
    with_three += agreements(first);
  }
  CHECK(with_three == 125);
  std::printf("checked %d vectors of four devices, %d of them legal, and %d of three\n", checked,
              legal, with_three);
  CHECK(legal > 0);
  CHECK(legal < checked);
}
