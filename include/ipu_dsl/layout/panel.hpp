// SPDX-License-Identifier: MIT
// Weights in panels: the columns of one register tile lie together, so that every kernel streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/layout/register_tile.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout {

/// Columns of a panel. The kernels of forward, both gradients and the update share the layout.
constexpr std::int32_t panel_width(std::int32_t outputs, architecture target = native) {
  return target.lanes * tile_vectors(ceiling_quotient(outputs, target.lanes), target);
}

/// Panels that cover `outputs` columns.
constexpr std::int32_t panel_count(std::int32_t outputs, architecture target = native) {
  return ceiling_quotient(outputs, panel_width(outputs, target));
}

/// Elements of a bias: one for every column of every panel.
constexpr std::int32_t bias_elements(std::int32_t outputs, architecture target = native) {
  return panel_count(outputs, target) * panel_width(outputs, target);
}

/// Of weights in panels the columns: the last extent.
constexpr std::int32_t outputs_of_panels(const shape& extents) {
  return extents[extents.rank - 1];
}

/// Of weights in panels the rows: all extents but the last. A kernel [ky, kx, inputs, outputs] has
/// a stretch of `inputs` rows for each of its positions.
constexpr std::int32_t rows_of_panels(const shape& extents) {
  return static_cast<std::int32_t>(extents.elements()) / outputs_of_panels(extents);
}

/// Elements of weights `[inputs, outputs]` in panels, padding included.
constexpr std::int64_t panel_elements(std::int32_t inputs, std::int32_t outputs,
                                      architecture target = native) {
  return std::int64_t{inputs} * bias_elements(outputs, target);
}

/// Weights `[inputs, outputs]` as `[panel_count][inputs][panel_width]`, the last panel padded with
/// zeros.
struct panels {
  std::int32_t inputs;
  std::int32_t outputs;
  std::int32_t width;

  constexpr panels(std::int32_t input_count, std::int32_t output_count,
                   architecture target = native)
      : inputs(input_count), outputs(output_count), width(panel_width(output_count, target)) {}

  /// Where the weight from input `k` to output `n` lies.
  constexpr std::int64_t offset(std::int32_t k, std::int32_t n) const {
    return (std::int64_t{n / width} * inputs + k) * width + n % width;
  }
};

/// From rows `[inputs][outputs]` to panels; every element of `packed` is written.
constexpr void pack_panels(const panels& layout, std::span<const float> rows,
                           std::span<float> packed) {
  for (float& element : packed) {
    element = 0.0F;
  }
  std::size_t element = 0;
  for (std::int32_t k = 0; k < layout.inputs; ++k) {
    for (std::int32_t n = 0; n < layout.outputs; ++n) {
      packed[static_cast<std::size_t>(layout.offset(k, n))] = rows[element];
      ++element;
    }
  }
}

/// From panels to rows `[inputs][outputs]`.
constexpr void unpack_panels(const panels& layout, std::span<const float> packed,
                             std::span<float> rows) {
  std::size_t element = 0;
  for (std::int32_t k = 0; k < layout.inputs; ++k) {
    for (std::int32_t n = 0; n < layout.outputs; ++n) {
      rows[element] = packed[static_cast<std::size_t>(layout.offset(k, n))];
      ++element;
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::layout
