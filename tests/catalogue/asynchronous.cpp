// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include <ipu_dsl/catalogue/asynchronous.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/study/weight_facts.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

static_assert(schedule_type<pipedream> && pipedream::name == "pipedream");
static_assert(schedule_type<pipedream_2bw<4>> && pipedream_2bw<4>::name == "pipedream-2bw");

constexpr verdict judge(const program& rows) {
  const stage_graph graph = chain_stage_graph(rows.stages);
  return prove(rows.view(), graph.view());
}

constexpr facts facts_with(const program& rows, const stage_cost& cost) {
  const stage_graph graph = chain_stage_graph(rows.stages, cost);
  return facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view()));
}

/// The row of a device without its updates.
constexpr list<action> work_of_row(const program& rows, int device) {
  list<action> work;
  for (const action& what : rows.view().row(device)) {
    if (what.kind != action_kind::update) {
      work.push_back(what);
    }
  }
  return work;
}

constexpr bool works_as_1f1b(const program& rows) {
  const program flushed = one_f_one_b::make(rows.devices, rows.stages, rows.micro_batches);
  bool same = true;
  for (int device = 0; device < rows.devices; ++device) {
    same = same && std::ranges::equal(work_of_row(rows, device), work_of_row(flushed, device));
  }
  return same;
}

/// A stream of batches of any interval, as `pipedream_2bw` makes it.
constexpr program stream_with_delay(int devices, int micro_batches, int interval) {
  program rows = stream_rows(devices, micro_batches, interval);
  rows.weights.delay = 1;
  return rows;
}

static_assert(judge(pipedream::make(3, 3, 2)).proven());
static_assert(judge(pipedream_2bw<3>::make(3, 3, 9)).proven());
static_assert(weight_facts_of_stages(pipedream::make(3, 3, 8).view())[0] == weight_facts{3, 2});
static_assert(weight_facts_of_stages(pipedream_2bw<3>::make(3, 3, 9).view())[0] ==
              weight_facts{2, 1});

static_assert(pipedream::allows(2, 3, 4, purpose::training).found());
static_assert(pipedream_2bw<2>::allows(4, 4, 8, purpose::training).message().view() ==
              "schedule pipedream-2bw: expected batches of at least as many micro-batches as "
              "devices (4), got 2. Hint: update every 4 micro-batches, or use 2 devices");
static_assert(pipedream_2bw<4>::allows(4, 4, 10, purpose::training).message().view() ==
              "schedule pipedream-2bw: expected whole batches of 4 micro-batches, got 10. Hint: "
              "use 8 or 12");
static_assert(pipedream_2bw<4>::allows(4, 4, 3, purpose::training).hint.view() == "use 4");
static_assert(pipedream_2bw<-1>::allows(1, 1, 3, purpose::training).found());
static_assert(!pipedream_2bw<4>::allows(4, 4, 10, purpose::inference).found());

constexpr checks test_2bw() {
  checks done;
  const program rows = pipedream_2bw<3>::make(3, 3, 9);
  done.that(rows.weights == weight_policy{1, 3, 1});
  done.that(updates_of_run(rows.view()) == 3);
  const program stream = stream_with_delay(3, 9, 3);
  done.that(std::ranges::equal(rows.actions, stream.actions));
  return done;
}

static_assert(test_2bw());

}  // namespace

TEST_CASE("PipeDream updates after every backward and keeps a version for each micro-batch") {
  int checked = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    for (int m = 1; m <= 3 * stages + 2; ++m) {
      const program rows = pipedream::make(stages, stages, m);
      REQUIRE(judge(rows).proven());
      REQUIRE(works_as_1f1b(rows));
      REQUIRE(rows.weights == weight_policy{1, 1, weight_policy::newest});
      const list<weight_facts> weights = weight_facts_of_stages(rows.view());
      const list<int> kept = peak_stash_of_stages(rows.view());
      for (int stage = 0; stage < stages; ++stage) {
        const auto [versions, staleness] = weights[static_cast<std::size_t>(stage)];
        const int behind = stages - 1 - stage;
        REQUIRE(kept[static_cast<std::size_t>(stage)] == std::min(m, behind + 1));
        REQUIRE(staleness == std::min(m - 1, behind));
        REQUIRE(versions <= behind + 1);
        // Each of the micro-batches in flight saw another version once the first ones are through.
        REQUIRE((versions == behind + 1 || m <= 2 * behind));
        checked += 4;
      }
      const std::span<const action> row = rows.view().row(0);
      for (std::size_t at = 0; at + 1 < row.size(); ++at) {
        if (row[at].kind == action_kind::backward) {
          REQUIRE(row[at + 1] == action{action_kind::update, 0, row[at].micro_batch});
          ++checked;
        }
      }
      checked += 3;
    }
  }
  std::printf("checked %d facts of pipedream\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("PipeDream-2BW keeps two versions, one update late on every stage") {
  int checked = 0;
  for (int stages = 1; stages <= 6; ++stages) {
    for (int interval = stages; interval <= 2 * stages + 1; ++interval) {
      for (int batches = 1; batches <= 5; ++batches) {
        const program rows = stream_with_delay(stages, batches * interval, interval);
        REQUIRE(judge(rows).proven());
        REQUIRE(works_as_1f1b(rows));
        const int several = batches > 1 ? 1 : 0;
        for (const weight_facts& found : weight_facts_of_stages(rows.view())) {
          REQUIRE(found == weight_facts{1 + several, several});
          ++checked;
        }
        checked += 2;
      }
    }
  }
  std::printf("checked %d facts of pipedream-2bw\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("the program of PipeDream-2BW") {
  CHECK(test_2bw());
}

TEST_CASE("batches that are too short do not find their weights") {
  int checked = 0;
  int found_early = 0;
  for (int stages = 2; stages <= 7; ++stages) {
    for (int interval = 1; interval <= stages; ++interval) {
      const verdict found = judge(stream_with_delay(stages, 4 * interval, interval));
      // The first device is stages - 1 forwards ahead; the published rule asks for one more.
      REQUIRE(found.proven() == (interval >= stages - 1));
      REQUIRE((found.proven() || found.kind == schedule_fault::no_version));
      ++checked;
      found_early += found.proven();
    }
  }
  std::printf("checked %d intervals, %d long enough\n", checked, found_early);
  CHECK(found_early > 0);
  CHECK(found_early < checked);
}

TEST_CASE("a stream fills and drains once, whatever the number of its batches") {
  int checked = 0;
  for (int stages = 1; stages <= 6; ++stages) {
    for (int batches = 1; batches <= 4; ++batches) {
      for (const stage_cost& cost :
           {stage_cost{1, 1, 1}, stage_cost{3, 1, 1}, stage_cost{2, 4, 3}}) {
        const std::int64_t one = cost.forward + cost.of(action_kind::backward);
        const int m = batches * stages;
        const facts found = facts_with(stream_with_delay(stages, m, stages), cost);
        const facts flushed = facts_with(one_f_one_b::make(stages, stages, stages), cost);
        REQUIRE(found.makespan == (m + stages - 1) * one);
        REQUIRE(facts_with(pipedream::make(stages, stages, m), cost).makespan == found.makespan);
        // Flushing after every batch costs the ramps as many times.
        REQUIRE(batches * flushed.makespan - found.makespan == (batches - 1) * (stages - 1) * one);
        checked += 3;
      }
    }
  }
  std::printf("checked %d makespans of streams\n", checked);
  CHECK(checked > 0);
}
