// SPDX-License-Identifier: MIT
// What tells the parameters of one model from those of another.
#pragma once

#include <cstdint>
#include <span>

#include <ipu_dsl/plan/program_plan_view.hpp>

namespace ipu_dsl {

/// A number that tells the names and shapes of a model's parameters from those of another: FNV-1a.
constexpr std::uint64_t shapes_of(std::span<const parameter_place> places) {
  std::uint64_t hash = 14695981039346656037U;
  const auto add = [&hash](std::uint64_t word) { hash = (hash ^ word) * 1099511628211U; };
  for (const parameter_place& place : places) {
    for (const char letter : place.stored.name) {
      add(static_cast<std::uint64_t>(letter));
    }
    const shape& extents = place.stored.extents;
    add(static_cast<std::uint64_t>(extents.rank));
    for (std::int32_t axis = 0; axis < extents.rank; ++axis) {
      add(static_cast<std::uint64_t>(extents[axis]));
    }
  }
  return hash;
}

}  // namespace ipu_dsl
