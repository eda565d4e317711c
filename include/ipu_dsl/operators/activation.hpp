// SPDX-License-Identifier: MIT
// Code of the activations.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/softmax.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Rows are computed apart from each other, so grains are rows.
template <>
struct operators<&activation_family> {
  using key = activation_call;

  template <activation_call Call>
  static constexpr bool in_grains = true;

  template <activation_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr activation_kind kind = Call.kind;
    constexpr std::int32_t units = Call.units;
    constexpr activation_variant variant = Call.variant;
    const index_range mine = range_of(Call.rows, context.part);
    const std::int32_t samples = mine.end - mine.begin;
    const std::ptrdiff_t first = std::ptrdiff_t{mine.begin} * layout::row_stride(units);
    float* written = floats(operands[0]) + first;
    const float* read = floats(operands[1]) + first;
    if constexpr (variant == activation_variant::forward && kind == activation_kind::softmax) {
      kernels::softmax_forward(read, written, samples, units);
    } else if constexpr (variant == activation_variant::forward &&
                         kind == activation_kind::log_softmax) {
      kernels::log_softmax_forward(read, written, samples, units);
    } else if constexpr (variant == activation_variant::forward) {
      kernels::activation_forward<kind>(read, written, samples, units, scalars[0]);
    } else {
      const float* other = floats(operands[2]) + first;
      if constexpr (kind == activation_kind::softmax) {
        kernels::softmax_gradient(read, other, written, samples, units);
      } else if constexpr (kind == activation_kind::log_softmax) {
        kernels::log_softmax_gradient(read, other, written, samples, units);
      } else if constexpr (gradient_from_output(kind)) {
        kernels::activation_gradient_from_output<kind>(read, other, written, samples, units,
                                                       scalars[0]);
      } else {
        kernels::activation_gradient_from_input<kind>(read, other, written, samples, units,
                                                      scalars[0]);
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
