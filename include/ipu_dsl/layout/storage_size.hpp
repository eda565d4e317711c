// SPDX-License-Identifier: MIT
// How many elements a tensor takes, from how it lies.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/storage.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout {

/// Elements with their padding; `batch` counts for what there is one of a sample.
constexpr std::int64_t padded_elements(storage lies, const shape& extents, std::int32_t batch) {
  const auto elements = static_cast<std::int32_t>(extents.elements());
  switch (lies) {
    case storage::rows:
      return std::int64_t{batch} * row_stride(elements);
    case storage::columns:
      return std::int64_t{elements} * batch_stride(batch);
    case storage::panels:
      return panel_elements(rows_of_panels(extents), outputs_of_panels(extents));
    case storage::panel_bias:
      return bias_elements(extents[0]);
    case storage::plain:
      return row_stride(elements);
    case storage::positions: {
      const std::int32_t last = extents[extents.rank - 1];
      return std::int64_t{batch} * (elements / last) * row_stride(last);
    }
  }
  return 0;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout
