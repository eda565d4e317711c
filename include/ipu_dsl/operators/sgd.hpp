// SPDX-License-Identifier: MIT
// Stochastic gradient descent: which kernel each variant is.
#pragma once

#include <ipu_dsl/kernels/sgd.hpp>
#include <ipu_dsl/layout/storage_size.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The parameter that a signature of `sgd_rules::update` speaks of, as elements with padding, which
/// the update leaves at zero.
constexpr std::int64_t updated_elements(const call_signature& signature) {
  shape extents;
  extents.rank = signature.extents[1];
  for (std::int32_t axis = 0; axis < extents.rank; ++axis) {
    extents.extents[axis] = signature.extents[2 + axis];
  }
  return layout::padded_elements(static_cast<storage>(signature.extents[0]), extents, 1);
}

/// `context.optimizer` holds {learning rate, momentum}.
template <sgd_variant Variant>
struct sgd_operators {
  template <call_signature Signature>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::int64_t elements = updated_elements(Signature);
    const float rate = context.optimizer[0];
    const float momentum = context.optimizer[1];
    if constexpr (Variant == sgd_variant::plain) {
      kernels::sgd_update(floats(operands[0]), floats(operands[1]), elements, rate);
    } else if constexpr (Variant == sgd_variant::momentum) {
      kernels::sgd_momentum_update(floats(operands[0]), floats(operands[1]), floats(operands[2]),
                                   elements, rate, momentum);
    } else {
      kernels::sgd_nesterov_update(floats(operands[0]), floats(operands[1]), floats(operands[2]),
                                   elements, rate, momentum);
    }
  }
};

template <>
struct operators<&sgd_family<sgd_variant::plain>> : sgd_operators<sgd_variant::plain> {};

template <>
struct operators<&sgd_family<sgd_variant::momentum>> : sgd_operators<sgd_variant::momentum> {};

template <>
struct operators<&sgd_family<sgd_variant::nesterov>> : sgd_operators<sgd_variant::nesterov> {};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
