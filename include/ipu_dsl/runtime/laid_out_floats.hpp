// SPDX-License-Identifier: MIT
// What parameters take in one piece of memory, for this vector unit or another.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/graph/tensor.hpp>
#include <ipu_dsl/layout/storage_size.hpp>
#include <ipu_dsl/plan/buffer_size.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Floats from the begin of a parameter to that of the next on a processor with this vector unit.
constexpr std::size_t laid_out_floats(const tensor& parameter, layout::architecture target) {
  const shape& extents = parameter.extents;
  std::int64_t floats = layout::row_stride(static_cast<std::int32_t>(extents.elements()), target);
  if (parameter.lies == storage::panels) {
    floats = layout::panel_elements(layout::rows_of_panels(extents),
                                    layout::outputs_of_panels(extents), target);
  } else if (parameter.lies == storage::panel_bias) {
    floats = layout::bias_elements(extents[0], target);
  }
  constexpr auto size = static_cast<std::int64_t>(sizeof(float));
  return static_cast<std::size_t>(aligned(floats * size) / size);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
