// SPDX-License-Identifier: MIT
// How parameters lie in one piece of memory, for this vector unit or another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/graph/tensor.hpp>
#include <ipu_dsl/layout/storage_size.hpp>
#include <ipu_dsl/plan/buffer_size.hpp>
#include <ipu_dsl/plan/compiled_programs.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

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

/// Floats from the begin of a parameter to that of the next on a processor with this vector unit.
constexpr std::size_t laid_out_floats(const tensor& parameter, layout::architecture target) {
  const shape& extents = parameter.extents;
  std::int64_t floats = layout::row_stride(static_cast<std::int32_t>(extents.elements()), target);
  if (parameter.lies == storage::panels) {
    floats = layout::panel_elements(extents[0], extents[1], target);
  } else if (parameter.lies == storage::panel_bias) {
    floats = layout::bias_elements(extents[0], target);
  }
  constexpr auto size = static_cast<std::int64_t>(sizeof(float));
  return static_cast<std::size_t>(aligned(floats * size) / size);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
