// SPDX-License-Identifier: MIT
// How large a program may be that compilers plan without a flag.
#pragma once

#include <cstdint>

#include <ipu_dsl/plan/compiled_model.hpp>
#include <ipu_dsl/schedule/pieces/schedule_rows.hpp>

namespace ipu_dsl {

/// The most stages x micro-batches that are planned and proven within the compilers' default limits
/// (tests/checks/steps).
inline constexpr std::int64_t most_planned = 8192;

/// The most stages x micro-batches of a program of a model under a schedule. One that is made for
/// costs takes up to twice as many steps for those of a model as for equal ones.
template <schedule_type Schedule>
constexpr std::int64_t most_compiled() {
  constexpr std::int64_t made = pieces::most_made<Schedule>() / (costed_schedule<Schedule> ? 2 : 1);
  return made < most_planned ? made : most_planned;
}

/// The way out of too many micro-batches: larger ones, as few as are allowed, for the same step.
template <compiled_model C>
constexpr label larger_micro_batches(int micro_batches, std::int64_t most) {
  label hint;
  for (int fewer = static_cast<int>(most / C::stages); fewer > 0; --fewer) {
    const std::int64_t samples =
        static_cast<std::int64_t>(C::settings.micro_batch) * (micro_batches / fewer);
    const bool taken =
        micro_batches % fewer == 0 &&
        !C::schedule_type::allows(C::settings.devices, C::stages, fewer, purpose::training).found();
    if (taken) {
      hint << "micro_batch<" << samples << "> and gradient_accumulation<" << fewer
           << "> make a step of as many samples";
      break;
    }
  }
  return hint;
}

/// Why a program of a compiled model is too large, or nothing.
template <compiled_model C>
constexpr problem refuse_large(int micro_batches, purpose aim) {
  constexpr std::int64_t most = most_compiled<typename C::schedule_type>();
  problem found;
  if (static_cast<std::int64_t>(C::stages) * micro_batches > most) {
    found = rules::problem_of_schedule(C::schedule_type::name);
    found.expected << "at most " << most << " stages x micro-batches in a model";
    found.got << C::stages << " x " << micro_batches;
    if (aim == purpose::training) {
      found.hint << larger_micro_batches<C>(micro_batches, most);
    } else {
      found.hint = "without a loss leave gradient_accumulation<...> out";
    }
  }
  return found;
}

}  // namespace ipu_dsl
