// SPDX-License-Identifier: MIT
// A schedule for given counts and costs, generated, proven and timed by the compiler.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/schedule/large_study.hpp>
#include <ipu_dsl/schedule/whole_study.hpp>

namespace ipu_dsl {

namespace studying {

/// Whether a program is too large for one constant evaluation of a default compiler, which makes,
/// proves or times at least so many of every schedule.
template <schedule_type Schedule>
constexpr bool takes_pieces(int stages, int micro_batches) {
  constexpr std::int64_t proven = 2048;
  constexpr std::int64_t made = most_made_at_once<Schedule>();
  return static_cast<std::int64_t>(stages) * micro_batches > (made < proven ? made : proven);
}

}  // namespace studying

/// A schedule, studied without a model: its program, as many slots as delay nothing, its timeline
/// and its facts, for devices that wait for nothing but data and slots. Where there is a `fault`,
/// counts that the schedule does not allow or what the proof found, nothing is left but the rows
/// (of counts that it allows), for whoever wants to see what is wrong.
///
/// `static_assert(study<one_f_one_b, 4, 4, 8>::facts.makespan == 33);`
/// Small schedules are studied in one constant evaluation for each part, larger ones in pieces
/// (`large_study`), so that 16 devices x 256 micro-batches of every schedule of the catalogue stay
/// below the default limits of both compilers, but for `zero_bubble_list`, which refuses more than
/// 2,048 stages x micro-batches.
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches,
          typename Costs = unit_costs>
struct study : std::conditional_t<studying::takes_pieces<Schedule>(Stages, MicroBatches),
                                  large_study<Schedule, Devices, Stages, MicroBatches, Costs>,
                                  whole_study<Schedule, Devices, Stages, MicroBatches, Costs>> {};

/// Makes one compile error with one sentence if a schedule does not allow these counts or is not
/// proven; always true. `static_assert(check_schedule<mine, 2, 2, 4>());`
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches,
          typename Costs = unit_costs>
constexpr bool check_schedule() {
  return diagnose<study<Schedule, Devices, Stages, MicroBatches, Costs>>();
}

}  // namespace ipu_dsl
