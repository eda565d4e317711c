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
template <update_kind Kind>
struct sgd_operators {
  template <call_signature Signature>
  static constexpr bool in_grains = true;

  template <call_signature Signature>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::int64_t elements = updated_elements(Signature);
    constexpr std::int32_t lanes = layout::native.lanes;
    static_assert(elements % lanes == 0);
    const index_range vectors = range_of(static_cast<std::int32_t>(elements / lanes), context.part);
    const std::ptrdiff_t first = std::ptrdiff_t{vectors.begin} * lanes;
    const std::ptrdiff_t count = std::ptrdiff_t{vectors.end - vectors.begin} * lanes;
    constexpr int slots = slots_of(Kind);
    float* velocity = slots > 0 ? floats(operands[1]) + first : nullptr;
    kernels::sgd_update<Kind>(floats(operands[0]) + first, velocity,
                              floats(operands[1 + slots]) + first, count,
                              {context.optimizer[0], context.optimizer[1]});
  }
};

template <>
struct operators<&sgd_family<update_kind::descent>> : sgd_operators<update_kind::descent> {};

template <>
struct operators<&sgd_family<update_kind::momentum>> : sgd_operators<update_kind::momentum> {};

template <>
struct operators<&sgd_family<update_kind::nesterov>> : sgd_operators<update_kind::nesterov> {};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
