// SPDX-License-Identifier: MIT
// Dense: which kernel each variant is.
#pragma once

#include <ipu_dsl/core/update_kind.hpp>
#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_input_gradient.hpp>
#include <ipu_dsl/kernels/dense_output_gradient.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Where the gradient of a parameter goes, from the operands of a weight gradient: first the sums
/// of all parameters, then for each the parameter and what the optimizer keeps of it.
template <update_kind Update>
kernels::gradient_target target_of(void* const* operands, int parameter, int parameters) noexcept {
  kernels::gradient_target to{.sum = floats(operands[parameter])};
  if constexpr (Update != update_kind::none) {
    constexpr int slots = slots_of(Update);
    void* const* const updated = operands + parameters + parameter * (1 + slots);
    to.parameter = floats(updated[0]);
    to.velocity = slots > 0 ? floats(updated[1]) : nullptr;
  }
  return to;
}

template <>
struct operators<&dense_family> {
  template <call_signature Signature>
  static constexpr bool in_grains =
      kernels::forward_in_grains(Signature.extents[0],
                                 static_cast<activation_kind>(Signature.extents[3])) ||
      static_cast<dense_variant>(Signature.variant) == dense_variant::input_gradient ||
      static_cast<dense_variant>(Signature.variant) == dense_variant::weight_gradient;

  template <call_signature Signature>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr int batch = Signature.extents[0];
    constexpr int inputs = Signature.extents[1];
    constexpr int units = Signature.extents[2];
    constexpr auto kind = static_cast<activation_kind>(Signature.extents[3]);
    constexpr bool has_bias = Signature.extents[4] != 0;
    constexpr bool by_unit = Signature.extents[5] != 0;
    constexpr int own = Signature.extents[6];
    constexpr auto variant = static_cast<dense_variant>(Signature.variant);
    if constexpr (variant == dense_variant::forward) {
      const float* bias = has_bias ? floats(operands[3]) : nullptr;
      kernels::dense_forward<batch, inputs, units, kind>(floats(operands[1]), floats(operands[2]),
                                                         bias, floats(operands[0]), scalars[0],
                                                         context.part);
    } else if constexpr (variant == dense_variant::output_gradient) {
      constexpr auto lies =
          by_unit ? kernels::gradient_layout::transposed : kernels::gradient_layout::batch_major;
      constexpr int read = own != 0 ? 2 : 1;
      float* transposed = own != 0 ? floats(operands[1]) : nullptr;
      kernels::dense_output_gradient<batch, units, kind, lies>(
          floats(operands[read]), floats(operands[read + 1]), floats(operands[0]), transposed,
          scalars[0], context.part);
    } else if constexpr (variant == dense_variant::input_gradient) {
      static_assert(by_unit, "ipu_dsl: Dense writes its input's gradient by unit");
      kernels::dense_input_gradient<batch, inputs, units>(floats(operands[1]), floats(operands[2]),
                                                          floats(operands[0]), context.part);
    } else {
      constexpr auto update = static_cast<update_kind>(own);
      constexpr int parameters = has_bias ? 2 : 1;
      constexpr int updated = update == update_kind::none ? 0 : 1 + slots_of(update);
      constexpr int read = parameters * (1 + updated);
      kernels::gradient_step step{.continues = context.continues, .shared = context.part.count > 1};
      if constexpr (update != update_kind::none) {
        step.updates = context.completes;
        step.numbers = {context.optimizer[0], context.optimizer[1]};
      }
      kernels::gradient_target bias;
      if constexpr (has_bias) {
        bias = target_of<update>(operands, 1, parameters);
      }
      kernels::dense_weight_gradient<batch, inputs, units, update>(
          floats(operands[read]), floats(operands[read + 1]),
          target_of<update>(operands, 0, parameters), bias, step, context.part);
    }
  }
};

/// From rows to columns or back. Extents: {rows of what is read, its columns}.
template <>
struct operators<&transpose_family> {
  template <call_signature Signature>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    kernels::transpose(floats(operands[1]), floats(operands[0]), Signature.extents[0],
                       Signature.extents[1]);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
