// SPDX-License-Identifier: MIT
// What tells the parameters of one model from those of another.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/hash.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/program_plan_view.hpp>

namespace ipu_dsl {

/// A number that tells the names and shapes of a model's parameters from those of another: FNV-1a.
constexpr std::uint64_t shapes_of(list_view<parameter_place> places) {
  fnv_1a hash;
  for (const parameter_place& place : places) {
    const shape& extents = place.stored.extents;
    hash.take(place.stored.name).take(static_cast<std::uint32_t>(extents.rank));
    for (std::int32_t axis = 0; axis < extents.rank; ++axis) {
      hash.take(static_cast<std::uint32_t>(extents[axis]));
    }
  }
  return hash.value;
}

}  // namespace ipu_dsl
