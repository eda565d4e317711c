// SPDX-License-Identifier: MIT
#include <cstdio>
#include <utility>
#include <vector>

#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

struct both_clocks {
  facts asynchronous;
  facts lockstep;
};

template <typename Schedule>
constexpr both_clocks clocks(int stages, int micro_batches, const stage_cost& cost) {
  const program rows = Schedule::make(stages, stages, micro_batches);
  const stage_graph graph = chain_stage_graph(stages, cost);
  return {facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view())),
          facts_of(rows.view(), lockstep_timeline(rows.view(), graph.view()))};
}

// Four stages, eight micro-batches, a backward twice as long as a forward: the barrier is what
// makes the interleaved schedule slower.
static_assert(clocks<grouped>(4, 8, {}).asynchronous.makespan == 33);
static_assert(clocks<grouped>(4, 8, {}).lockstep.makespan == 33);
static_assert(clocks<interleaved>(4, 8, {}).asynchronous.makespan == 33);
static_assert(clocks<interleaved>(4, 8, {}).lockstep.makespan == 40);
static_assert(clocks<sequential_schedule>(4, 8, {}).asynchronous.makespan == 96);
static_assert(clocks<grouped>(4, 8, {}).asynchronous.flush_bubble() == 9);
static_assert(clocks<grouped>(4, 8, {}).asynchronous.speedup_bound() == 4.0);
static_assert(clocks<grouped>(4, 8, {}).lockstep.slots == 8 + 2 * 4 - 1 + 1);

// Nothing to divide by is no division.
static_assert(facts().flush_bubble_share() == 0.0 && facts().idle_share() == 0.0 &&
              facts().speedup_bound() == 0.0);

/// The row of device d when it runs `ahead` forwards before it alternates: the textbook form of
/// 1F1B and eager 1F1B.
constexpr std::vector<action> ahead_row(int stage, int micro_batches, int ahead) {
  std::vector<action> row;
  for (int i = 0; i < micro_batches + ahead; ++i) {
    if (i < micro_batches) {
      row.push_back({action_kind::forward, stage, i});
    }
    if (i >= ahead) {
      row.push_back({action_kind::backward, stage, i - ahead});
    }
  }
  return row;
}

int check_rows(const program& rows, int steps_ahead) {
  int checked = 0;
  for (int device = 0; device < rows.devices; ++device) {
    const int wanted = steps_ahead * (rows.devices - 1 - device);
    const int ahead = wanted < rows.micro_batches ? wanted : rows.micro_batches;
    const std::vector<action> expected = ahead_row(device, rows.micro_batches, ahead);
    const std::span<const action> row = rows.view().row(device);
    REQUIRE(row.size() == expected.size() + 1);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      REQUIRE(row[i] == expected[i]);
      ++checked;
    }
  }
  return checked;
}

constexpr checks test_offload() {
  checks done;
  using kind = action_kind;
  program rows(1, neighbouring_placement(1, 2), 3);
  const auto put_all = [&rows](kind what, int stage) {
    for (int i = 0; i < 3; ++i) {
      rows.put(what, stage, i);
    }
  };
  for (int i = 0; i < 3; ++i) {
    rows.put(kind::forward, 0, i);
    rows.put(kind::offload, 0, i);
  }
  put_all(kind::forward, 1);
  put_all(kind::backward, 1);
  for (int i = 0; i < 3; ++i) {
    rows.put(kind::fetch, 0, i);
    rows.put(kind::recompute, 0, i);
    rows.put(kind::input_gradient, 0, i);
    rows.put(kind::weight_gradient, 0, i);
  }
  rows.put(kind::update, 0, 0);
  rows.put(kind::update, 1, 0);
  rows.end_row();
  done.that(prove(rows.view(), chain_stage_graph(2).view()).proven());
  const list<int> stages = peak_stash_of_stages(rows.view());
  const list<int> devices = peak_stash_of_devices(rows.view());
  done.that(stages[0] == 1);
  done.that(stages[1] == 3);
  done.that(devices[0] == 3);
  // Kept until the weight gradient: a fetch ahead of it makes two.
  program ahead = rows;
  std::swap(ahead.actions[15], ahead.actions[16]);
  done.that(ahead.actions[15] == action{kind::fetch, 0, 1});
  done.that(prove(ahead.view(), chain_stage_graph(2).view()).proven());
  done.that(peak_stash_of_stages(ahead.view())[0] == 2);
  // Without the offloads all three are kept, of both stages on the device.
  program kept = rows;
  kept.actions = {};
  for (const action& what : rows.actions) {
    if (what.kind != kind::offload && what.kind != kind::fetch) {
      kept.actions.push_back(what);
    }
  }
  kept.row_begin[1] = static_cast<int>(kept.actions.size());
  done.that(prove(kept.view(), chain_stage_graph(2).view()).proven());
  done.that(peak_stash_of_stages(kept.view())[0] == 3);
  done.that(peak_stash_of_devices(kept.view())[0] == 6);
  return done;
}

static_assert(test_offload());

constexpr checks test_accumulation_order() {
  checks done;
  program rows(1, neighbouring_placement(1, 1), 2);
  rows.put(action_kind::forward, 0, 0);
  rows.put(action_kind::forward, 0, 1);
  rows.put(action_kind::backward, 0, 1);
  rows.put(action_kind::backward, 0, 0);
  rows.put(action_kind::update, 0, 0);
  rows.end_row();
  done.that(prove(rows.view(), chain_stage_graph(1).view()).proven());
  done.that(!accumulates_ascending(rows.view()));
  return done;
}

static_assert(test_accumulation_order());

}  // namespace

TEST_CASE("makespans have their closed forms") {
  int checked = 0;
  for (int stages = 2; stages <= 6; ++stages) {
    for (int m = 2 * stages; m <= 6 * stages; m += 2 * stages) {
      for (int f = 1; f <= 3; ++f) {
        for (int b = f; b <= 4; ++b) {
          const stage_cost cost = {f, 1, b - 1, 0};
          const both_clocks all = clocks<grouped>(stages, m, cost);
          const both_clocks alternate = clocks<interleaved>(stages, m, cost);
          const both_clocks one = clocks<sequential_schedule>(stages, m, cost);
          const int longer = f < b ? b : f;
          REQUIRE(all.asynchronous.makespan == (m + stages - 1) * (f + b));
          REQUIRE(all.lockstep.makespan == (m + stages - 1) * (f + b));
          REQUIRE(alternate.asynchronous.makespan == (m + stages - 1) * (f + b));
          REQUIRE(alternate.lockstep.makespan == stages * f + (2 * m - 2) * longer + stages * b);
          REQUIRE(one.asynchronous.makespan == m * stages * (f + b));
          REQUIRE(one.lockstep.makespan == m * stages * (f + b));
          REQUIRE(all.asynchronous.work == std::int64_t{m} * stages * (f + b));
          REQUIRE(all.asynchronous.flush_bubble() == (stages - 1) * (f + b));
          checked += 8;
        }
      }
    }
  }
  std::printf("checked %d makespans\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("grouped is eager 1F1B, interleaved is 1F1B, sequential runs nothing ahead") {
  int checked = 0;
  for (int stages = 2; stages <= 8; ++stages) {
    for (const int m : {stages, 2 * stages, 2 * stages + 1, 5 * stages}) {
      checked += check_rows(interleaved::make(stages, stages, m), 1);
      checked += check_rows(sequential_schedule::make(stages, stages, m), 0);
      checked += check_rows(grouped::make(stages, stages, m), 2);
    }
  }
  std::printf("checked %d actions\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("stashes are the reference's queues and the micro-batch in hand") {
  int checked = 0;
  for (int stages = 2; stages <= 8; ++stages) {
    const int m = 4 * stages;
    const list<int> all = peak_stash_of_stages(grouped::make(stages, stages, m).view());
    const list<int> alternate = peak_stash_of_stages(interleaved::make(stages, stages, m).view());
    const list<int> one =
        peak_stash_of_devices(sequential_schedule::make(stages, stages, m).view());
    for (int stage = 0; stage < stages; ++stage) {
      const std::size_t at = static_cast<std::size_t>(stage);
      REQUIRE(all[at] == 2 * (stages - 1 - stage) + 1);
      REQUIRE(all[at] == reference_stash_depth(overlap::all, stages, stage) + 1);
      REQUIRE(alternate[at] == stages - stage);
      REQUIRE(alternate[at] == reference_stash_depth(overlap::disjoint, stages, stage) + 1);
      REQUIRE(one[at] == reference_stash_depth(overlap::none, stages, stage) + 1);
      checked += 5;
    }
  }
  std::printf("checked %d stashes\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("what is offloaded is not kept") {
  CHECK(test_offload());
}

TEST_CASE("uneven costs keep the laws of a timeline") {
  int checked = 0;
  for (int seed = 1; seed <= 40; ++seed) {
    const int stages = 2 + seed % 4;
    list<stage_cost> costs;
    for (int stage = 0; stage < stages; ++stage) {
      costs.push_back({1 + (seed * 7 + stage * 5) % 11, 1 + (seed * 3 + stage) % 7,
                       (seed + stage * stage) % 5, (seed + stage) % 3});
    }
    const stage_graph graph = chain_stage_graph(stages, costs);
    const program rows = grouped::make(stages, stages, 4 * stages);
    const list<timed_action> free_run = asynchronous_timeline(rows.view(), graph.view());
    const facts free_facts = facts_of(rows.view(), free_run);
    const facts barrier = facts_of(rows.view(), lockstep_timeline(rows.view(), graph.view()));
    REQUIRE(free_facts.makespan <= barrier.makespan);
    REQUIRE(free_facts.makespan >= free_facts.busiest);
    REQUIRE(free_facts.span_bubble <= free_facts.flush_bubble() + free_facts.makespan);
    REQUIRE(free_facts.speedup() <= free_facts.speedup_bound());
    REQUIRE(free_facts.idle_share() >= 0.0);
    REQUIRE(free_facts.idle_share() < 1.0);
    REQUIRE(free_facts.ascending);
    REQUIRE(free_facts.work == barrier.work);
    checked += 8;
  }
  std::printf("checked %d laws\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("the order of accumulation is seen") {
  CHECK(test_accumulation_order());
}
