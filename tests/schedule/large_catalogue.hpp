// SPDX-License-Identifier: MIT
// What is asked of a large schedule of 16 devices that was studied while compiling, in pieces, with
// the compilers' default limits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>

#include <ipu_dsl/schedule/study.hpp>

#include "support/catch2.hpp"

namespace large_catalogue {

inline constexpr int devices = 16;
#ifdef __clang__
inline constexpr int micro_batches = 256;
#else
// g++ takes longer: it studies little more than the least that is done in pieces here, and 256
// micro-batches in models, under the schedules that train them (tests/checks/steps/).
inline constexpr int micro_batches = 144;
#endif

template <ipu_dsl::schedule_type Schedule, int StagesEach>
using studied = ipu_dsl::study<Schedule, devices, StagesEach * devices, micro_batches>;

/// Whether the study is without fault and has all that a small one has.
template <typename Study>
constexpr bool stands() {
  return !Study::fault.found() && !Study::rows.actions.empty() &&
         Study::timeline.size() == Study::rows.actions.size() && !Study::slots.empty() &&
         Study::facts.makespan > 0 && Study::facts.work > 0;
}

/// Whether the compiler found what the program finds, which made the rows otherwise; counts them.
template <ipu_dsl::schedule_type Schedule, int StagesEach>
int check() {
  using found = studied<Schedule, StagesEach>;
  static_assert(stands<found>());
  const ipu_dsl::program rows = Schedule::make(devices, StagesEach * devices, micro_batches);
  const ipu_dsl::stage_graph graph = ipu_dsl::unit_costs::make(rows.stages, rows.weights.copies);
  const ipu_dsl::analysis told = ipu_dsl::analyse(rows.view(), graph.view(), Schedule::name);
  INFO(Schedule::name);
  REQUIRE(told.found.proven());
  CHECK(std::ranges::equal(rows.actions, found::rows.actions));
  CHECK(std::ranges::equal(rows.slot, found::rows.slot));
  CHECK(rows.weights == found::rows.weights);
  CHECK(std::ranges::equal(told.slots, found::slots));
  CHECK(std::ranges::equal(told.timeline, found::timeline));
  CHECK(ipu_dsl::facts_of(rows.view(), told.timeline).makespan == found::facts.makespan);
  std::printf("checked %.*s: %zu actions\n", static_cast<int>(Schedule::name.size()),
              Schedule::name.data(), found::rows.actions.size());
  return static_cast<int>(found::rows.actions.size());
}

}  // namespace large_catalogue
