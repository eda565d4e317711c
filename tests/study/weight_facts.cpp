// SPDX-License-Identifier: MIT
#include <cstdio>
#include <set>
#include <vector>

#include <ipu_dsl/catalogue/asynchronous.hpp>
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/study/weight_facts.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

/// A row whose micro-batches carry the version that they saw, as numbers in sets.
weight_facts counted(const program& rows, int stage) {
  const weight_policy& weights = rows.weights;
  std::vector<int> seen(static_cast<std::size_t>(rows.micro_batches), -1);
  std::set<int> in_flight;
  int version = 0;
  weight_facts found;
  for (const action& what : rows.actions) {
    if (what.stage != stage) {
      continue;
    }
    const auto i = static_cast<std::size_t>(what.micro_batch);
    if (what.kind == action_kind::forward) {
      const int batch =
          weights.update_interval == 0 ? 0 : what.micro_batch / weights.update_interval;
      const int delayed = batch - weights.delay < 0 ? 0 : batch - weights.delay;
      seen[i] = weights.delay == weight_policy::newest ? version : delayed;
      in_flight.insert(what.micro_batch);
    } else if (what.kind == action_kind::backward || what.kind == action_kind::weight_gradient) {
      in_flight.erase(what.micro_batch);
    } else if (what.kind == action_kind::update) {
      for (int taken = 0; taken < rows.micro_batches; ++taken) {
        if (weights.update_interval > 0 && taken / weights.update_interval == version) {
          const int age = version - seen[static_cast<std::size_t>(taken)];
          found.staleness = found.staleness < age ? age : found.staleness;
        }
      }
      ++version;
    }
    std::set<int> kept = {version};
    for (const int other : in_flight) {
      kept.insert(seen[static_cast<std::size_t>(other)]);
    }
    const int versions = static_cast<int>(kept.size());
    found.versions = found.versions < versions ? versions : found.versions;
  }
  return found;
}

int check_counted(const program& rows) {
  const list<weight_facts> facts = weight_facts_of_stages(rows.view());
  REQUIRE(static_cast<int>(facts.size()) == rows.stages);
  for (int stage = 0; stage < rows.stages; ++stage) {
    INFO("stage " << stage << " of " << rows.stages);
    const weight_facts& found = facts[static_cast<std::size_t>(stage)];
    const weight_facts expected = counted(rows, stage);
    REQUIRE(found.versions == expected.versions);
    REQUIRE(found.staleness == expected.staleness);
  }
  return rows.stages;
}

constexpr weight_facts of_stage(const program& rows, std::size_t stage) {
  return weight_facts_of_stages(rows.view())[stage];
}

constexpr weight_facts synchronous = {1, 0};

static_assert(of_stage(grouped::make(2, 2, 4), 0) == synchronous);
static_assert(of_stage(zb_v::make(2, 4, 4), 3) == synchronous);
static_assert(of_stage(pipedream::make(4, 4, 8), 0) == weight_facts{4, 3});
static_assert(of_stage(pipedream::make(4, 4, 8), 3) == synchronous);
static_assert(of_stage(pipedream_2bw<4>::make(4, 4, 12), 0) == weight_facts{2, 1});
static_assert(of_stage(pipedream_2bw<4>::make(4, 4, 12), 3) == weight_facts{2, 1});
// One batch alone is synchronous, whatever the policy.
static_assert(of_stage(pipedream_2bw<4>::make(4, 4, 4), 0) == synchronous);

}  // namespace

TEST_CASE("PipeDream keeps a version for each stage from here to the last") {
  int checked = 0;
  for (int devices = 2; devices <= 6; ++devices) {
    for (int m = 2 * devices - 1; m <= 4 * devices; ++m) {
      const program rows = pipedream::make(devices, devices, m);
      REQUIRE(prove(rows.view(), chain_stage_graph(devices).view()).proven());
      const list<weight_facts> facts = weight_facts_of_stages(rows.view());
      for (int device = 0; device < devices; ++device) {
        const weight_facts& found = facts[static_cast<std::size_t>(device)];
        INFO("device " << device << " of " << devices << ", " << m << " micro-batches");
        REQUIRE(found.versions == devices - device);
        REQUIRE(found.staleness == devices - 1 - device);
      }
      checked += check_counted(rows);
    }
  }
  std::printf("checked %d stages of PipeDream\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("PipeDream-2BW keeps two versions on every device, the last one too") {
  // The last device has one micro-batch in flight, but its forwards see the weights of the batch
  // before, as everywhere: the newest version is there as well.
  int checked = 0;
  const auto check = [&checked](const program& rows, int batches) {
    REQUIRE(prove(rows.view(), chain_stage_graph(rows.stages).view()).proven());
    for (const weight_facts& found : weight_facts_of_stages(rows.view())) {
      REQUIRE(found.versions == (batches < 2 ? 1 : 2));
      REQUIRE(found.staleness == (batches < 2 ? 0 : 1));
    }
    checked += check_counted(rows);
  };
  for (int devices = 2; devices <= 6; ++devices) {
    for (int batches = 1; batches <= 4; ++batches) {
      check(pipedream_2bw<6>::make(devices, devices, 6 * batches), batches);
      check(pipedream_2bw<7>::make(devices, devices, 7 * batches), batches);
    }
  }
  std::printf("checked %d stages of PipeDream-2BW\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("a synchronous program has one version of its weights, and no gradient is late") {
  int checked = 0;
  for (const program& rows :
       {grouped::make(4, 4, 8), gpipe::make(4, 4, 8), sequential_schedule::make(3, 3, 4),
        zb_v::make(3, 6, 8), chimera::make(4, 8, 8), dualpipe::make(4, 8, 10)}) {
    for (const weight_facts& found : weight_facts_of_stages(rows.view())) {
      REQUIRE(found == synchronous);
      ++checked;
    }
    check_counted(rows);
  }
  std::printf("checked %d stages of synchronous programs\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("streams with any interval and delay are counted as by hand") {
  int checked = 0;
  for (int devices = 1; devices <= 4; ++devices) {
    for (int interval = 1; interval <= 5; ++interval) {
      for (int delay = weight_policy::newest; delay <= 4; ++delay) {
        program rows = stream_rows(devices, 3 * interval, interval);
        rows.weights.delay = delay;
        checked += check_counted(rows);
      }
    }
  }
  std::printf("checked %d stages of streams\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("a last batch that is short is updated all the same") {
  program rows(1, neighbouring_placement(1, 1), 3);
  rows.weights.update_interval = 2;
  for (int i = 0; i < 3; ++i) {
    rows.put(action_kind::forward, 0, i);
    rows.put(action_kind::backward, 0, i);
    if (i > 0) {
      rows.put(action_kind::update, 0, i - 1);
    }
  }
  rows.end_row();
  CHECK(prove(rows.view(), chain_stage_graph(1).view()).proven());
  CHECK(weight_facts_of_stages(rows.view())[0] == synchronous);
  CHECK(check_counted(rows) == 1);
}
