// SPDX-License-Identifier: MIT
// The largest schedules of the budget, proven with the compilers' default limits: 16 devices x 256
// micro-batches, one constant evaluation for each question.
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/schedule/timeline.hpp>
#include <ipu_dsl/schedule/waits.hpp>
#include <ipu_dsl/schedule/worker_rows.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr int stages = 16;
constexpr int micro_batches = 256;
constexpr std::size_t edges = 3 * stages - 2;
constexpr std::size_t actions = stages * (2 * micro_batches + 1);

constexpr auto rows = freeze<[] { return grouped::make(stages, stages, micro_batches); }>();
constexpr auto slots =
    freeze_list<edges>(slots_without_delay(rows.view(), chain_stage_graph(stages).view()));
static_assert(prove(rows.view(), chain_stage_graph(stages).view(), slots.view()).proven());

constexpr auto timeline = freeze_list<actions>(
    asynchronous_timeline(rows.view(), chain_stage_graph(stages).view(), slots.view()));
constexpr facts found = facts_of(rows.view(), timeline.view());
static_assert(found.makespan == (micro_batches + stages - 1) * 3);
static_assert(found.ascending);
static_assert(found.speedup_bound() == 16.0);

}  // namespace

TEST_CASE("the largest schedule was proven before the program ran") {
  CHECK(rows.view().actions.size() == actions);
  CHECK(prove(rows.view(), chain_stage_graph(stages).view(), slots.view()).proven());
}
