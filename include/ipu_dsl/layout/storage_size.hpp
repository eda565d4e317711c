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
      return panel_elements(extents[0], extents[1]);
    case storage::panel_bias:
      return bias_elements(extents[0]);
    case storage::plain:
      return row_stride(elements);
  }
  return 0;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout
