// SPDX-License-Identifier: MIT
// The largest schedule of the budget, studied with the compilers' default limits: 16 devices x 256
// micro-batches.
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/study.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr int stages = 16;
constexpr int micro_batches = 256;

using largest = study<grouped, stages, stages, micro_batches>;

static_assert(!largest::fault.found());
static_assert(largest::rows.actions.size() == stages * (2 * micro_batches + 1));
static_assert(largest::slots.size() == 3 * stages - 2);
static_assert(largest::facts.makespan == (micro_batches + stages - 1) * 3);
static_assert(largest::facts.ascending);
static_assert(largest::facts.speedup_bound() == 16.0);

}  // namespace

TEST_CASE("the largest schedule was proven before the program ran") {
  CHECK(largest::facts.makespan == makespan_of(largest::timeline));
  CHECK(prove(largest::rows, chain_stage_graph(stages).view(), largest::slots).proven());
}
