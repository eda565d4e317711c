// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/library.hpp>
#include <ipu_dsl/vocabulary/losses/sparse_categorical_crossentropy.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

struct net
    : model<input<7>, pipeline<stage<Dense<5, relu>>, stage<Dense<4, relu>>, stage<Dense<3>>>> {};

template <typename Schedule>
struct training : compile<net, micro_batch<8>, gradient_accumulation<6>, Schedule,
                          loss<sparse_categorical_crossentropy>> {};

template <typename Schedule, program_kind Kind>
constexpr program_plan_view plan_under =
    frozen_plan_of<typename training<Schedule>::compiled, Kind>.view();

/// The waits of a program that is not in static storage; what was found is what was frozen.
template <typename Schedule, program_kind Kind>
constexpr bool same_waits() {
  const program_plan_view& plan = plan_under<Schedule, Kind>;
  const wait_list found = waits_of(plan);
  return std::equal(found.begin.begin(), found.begin.end(), plan.first_wait.begin(),
                    plan.first_wait.end()) &&
         std::equal(found.waits.begin(), found.waits.end(), plan.waits.begin(), plan.waits.end());
}

static_assert(same_waits<grouped, program_kind::train>());
static_assert(same_waits<interleaved, program_kind::train>());
static_assert(same_waits<sequential_schedule, program_kind::train>());
static_assert(same_waits<grouped, program_kind::predict>());

/// Every action once, and those of a device in the order of its row. Returns how many they are.
template <typename Schedule, program_kind Kind>
int check_order() {
  const program_plan_view& plan = plan_under<Schedule, Kind>;
  const program_view& rows = plan.actions;
  std::vector<int> next(rows.row_begin.begin(), rows.row_begin.end() - 1);
  for (const int index : plan.order) {
    const int stage = rows.actions[static_cast<std::size_t>(index)].stage;
    const int device = rows.device_of_stage[static_cast<std::size_t>(stage)];
    CHECK(index == next[static_cast<std::size_t>(device)]++);
  }
  CHECK(std::equal(next.begin(), next.end(), rows.row_begin.begin() + 1));
  return static_cast<int>(plan.order.size());
}

/// In the order, what an action waits for in its own run is counted before it. Returns how many
/// waits those are.
template <typename Schedule, program_kind Kind>
int check_waits() {
  const program_plan_view& plan = plan_under<Schedule, Kind>;
  std::vector<int> counted(static_cast<std::size_t>(plan.actions.stages * action_kinds), 0);
  int waits = 0;
  for (const int index : plan.order) {
    const auto at = static_cast<std::size_t>(index);
    for (int i = plan.first_wait[at]; i < plan.first_wait[at + 1]; ++i) {
      const awaited_count& awaited = plan.waits[static_cast<std::size_t>(i)];
      CHECK(counted[static_cast<std::size_t>(awaited.counter)] > awaited.position);
      ++waits;
    }
    const action& what = plan.actions.actions[at];
    ++counted[static_cast<std::size_t>(counter_of(what.stage, what.kind))];
  }
  CHECK(waits == static_cast<int>(plan.waits.size()));
  return waits;
}

}  // namespace

TEST_CASE("the order of a plan holds every action once, behind what it waits for") {
  int actions = check_order<grouped, program_kind::train>();
  actions += check_order<interleaved, program_kind::train>();
  actions += check_order<sequential_schedule, program_kind::train>();
  CHECK(actions == 3 * (3 * 2 * 6 + 3));
  actions += check_order<grouped, program_kind::predict>();
  int waits = check_waits<grouped, program_kind::train>();
  waits += check_waits<interleaved, program_kind::train>();
  waits += check_waits<grouped, program_kind::predict>();
  CHECK(waits > 0);
  std::printf("checked %d actions and %d waits\n", actions, waits);
}

TEST_CASE("the waits of a plan are those of its slots") {
  CHECK(same_waits<grouped, program_kind::train>());
  CHECK(same_waits<interleaved, program_kind::train>());
  program_plan_view deeper = plan_under<grouped, program_kind::train>;
  std::vector<int> slots(deeper.slots.begin(), deeper.slots.end());
  for (int& of_edge : slots) {
    of_edge += 6;
  }
  deeper.slots = slots;
  const wait_list other = waits_of(deeper);
  CHECK_FALSE(
      std::equal(other.waits.begin(), other.waits.end(), deeper.waits.begin(), deeper.waits.end()));
}
