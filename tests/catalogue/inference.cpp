// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/inference.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

static_assert(schedule_type<inference> && inference::name == "inference");
static_assert(schedule_type<popart_implicit> && popart_implicit::name == "popart");

constexpr bool proves(const program& rows) {
  const stage_graph graph = chain_stage_graph(rows.stages);
  return prove(rows.view(), graph.view()).proven();
}

constexpr bool same_rows(const program& left, const program& right) {
  return std::ranges::equal(left.actions, right.actions) &&
         std::ranges::equal(left.row_begin, right.row_begin);
}

struct both_clocks {
  facts asynchronous;
  facts lockstep;
};

constexpr both_clocks clocks(const program& rows, const stage_cost& cost) {
  const stage_graph graph = chain_stage_graph(rows.stages, cost);
  return {facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view())),
          facts_of(rows.view(), lockstep_timeline(rows.view(), graph.view()))};
}

/// The cycle of an action's pipeline stage: forwards and backwards are one chain in which the last
/// stage does both.
int pipeline_stage_of(const action& what, int stages) {
  return what.kind == action_kind::forward ? what.stage : 2 * stages - 2 - what.stage;
}

static_assert(proves(inference::make(3, 3, 2)));
static_assert(proves(popart_implicit::make(3, 3, 5)));
static_assert(same_rows(popart_implicit::make(3, 3, 6), grouped::make(3, 3, 6)));
static_assert(clocks(inference::make(4, 4, 8), {}).asynchronous.makespan == 11);

static_assert(!inference::allows(3, 3, 1, purpose::inference).found());
static_assert(inference::allows(3, 3, 6, purpose::training).message().view() ==
              "schedule inference: expected a model that is evaluated or predicts, got training. "
              "Hint: train with sequential_schedule, or any other schedule that goes backward");
static_assert(inference::allows(2, 3, 6, purpose::inference).found());
static_assert(popart_implicit::allows(3, 3, 4, purpose::training).message().view() ==
              "schedule popart: expected a gradient accumulation count of at least 5, got 4. Hint: "
              "use 5");
static_assert(!popart_implicit::allows(3, 3, 5, purpose::training).found());
static_assert(!popart_implicit::allows(3, 3, 1, purpose::inference).found());

}  // namespace

TEST_CASE("inference: stage s works on micro-batch i in slot i + s") {
  int checked = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    for (int m = 1; m <= 3 * stages + 2; ++m) {
      const program rows = inference::make(stages, stages, m);
      REQUIRE(proves(rows));
      REQUIRE(same_rows(rows, inference::make_forward(stages, stages, m)));
      REQUIRE(rows.actions.size() == static_cast<std::size_t>(stages * m));
      for (std::size_t at = 0; at < rows.actions.size(); ++at) {
        const action& what = rows.actions[at];
        REQUIRE(what.kind == action_kind::forward);
        REQUIRE(rows.slot[at] == what.micro_batch + what.stage);
        checked += 2;
      }
      for (const int forward : {1, 3}) {
        const both_clocks found = clocks(rows, {forward, 0, 0});
        REQUIRE(found.asynchronous.makespan == (m + stages - 1) * forward);
        REQUIRE(found.lockstep.makespan == (m + stages - 1) * forward);
        REQUIRE(found.asynchronous.flush_bubble() == (stages - 1) * forward);
        REQUIRE(found.lockstep.slots == m + stages - 1);
        checked += 4;
      }
      checked += 3;
    }
  }
  std::printf("checked %d facts of inference\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("PopART's pipeline: a pipeline stage works from its own cycle on, m cycles long") {
  int checked = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    for (int m = 1; m <= 4 * stages + 1; ++m) {
      const program rows = popart_implicit::make(stages, stages, m);
      REQUIRE(proves(rows));
      REQUIRE(proves(popart_implicit::make_forward(stages, stages, m)));
      for (std::size_t at = 0; at < rows.actions.size(); ++at) {
        const action& what = rows.actions[at];
        if (what.kind == action_kind::update) {
          REQUIRE(rows.slot[at] == m + 2 * stages - 2);
        } else {
          const int first = pipeline_stage_of(what, stages);
          REQUIRE(rows.slot[at] - first == what.micro_batch);
          REQUIRE(first <= rows.slot[at]);
          REQUIRE(rows.slot[at] < first + m);
        }
        ++checked;
      }
      const problem found = popart_implicit::allows(stages, stages, m, purpose::training);
      REQUIRE(found.found() == (m < 2 * stages - 1));
      checked += 3;
    }
  }
  std::printf("checked %d actions of PopART's pipeline\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("PopART's pipeline is grouped, and eager 1F1B, in order and in time") {
  int checked = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    for (int m = 1; m <= 4 * stages + 1; ++m) {
      const program rows = popart_implicit::make(stages, stages, m);
      const program reference = grouped::make(stages, stages, m);
      REQUIRE(same_rows(rows, reference));
      REQUIRE(same_rows(rows, eager_one_f_one_b::make(stages, stages, m)));
      for (const stage_cost& cost : {stage_cost{1, 1, 1}, stage_cost{3, 1, 1}}) {
        const std::int64_t one = cost.forward + cost.of(action_kind::backward);
        const both_clocks found = clocks(rows, cost);
        REQUIRE(found.asynchronous.makespan == (m + stages - 1) * one);
        REQUIRE(found.lockstep.makespan == (m + stages - 1) * one);
        checked += 2;
      }
      checked += 2;
    }
  }
  std::printf("checked %d programs and makespans of PopART's pipeline\n", checked);
  CHECK(checked > 0);
}
