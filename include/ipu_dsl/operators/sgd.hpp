// SPDX-License-Identifier: MIT
// Stochastic gradient descent: which kernel each variant is.
#pragma once

#include <ipu_dsl/core/partition.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/kernels/sgd.hpp>
#include <ipu_dsl/layout/storage_size.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The elements of a parameter with padding, which an update leaves at zero.
constexpr std::int64_t updated_elements(const parameter_extents& parameter) {
  return layout::padded_elements(parameter.lies, parameter.extents, 1);
}

/// The vectors of a parameter that a grain of such a call holds, as elements.
template <parameter_extents Parameter>
index_range updated_range(const grain& part) {
  constexpr std::int32_t lanes = layout::native.lanes;
  constexpr auto elements = static_cast<std::int32_t>(updated_elements(Parameter));
  static_assert(elements % lanes == 0);
  const index_range vectors = range_of(elements / lanes, part);
  return {vectors.begin * lanes, vectors.end * lanes};
}

/// `context.optimizer` holds {learning rate, momentum}.
template <update_kind Kind>
struct sgd_operators {
  using key = parameter_extents;

  template <parameter_extents Call>
  static constexpr bool in_grains = true;

  template <parameter_extents Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    const index_range mine = updated_range<Call>(context.part);
    constexpr int slots = slots_of(Kind);
    float* velocity = slots > 0 ? floats(operands[1]) + mine.begin : nullptr;
    kernels::sgd_update<Kind>(floats(operands[0]) + mine.begin, velocity,
                              floats(operands[1 + slots]) + mine.begin, mine.end - mine.begin,
                              {context.optimizer[0], context.optimizer[1]});
  }
};

/// Dealt over grains as the update behind it is, so that the two need not wait for each other.
template <>
struct operators<&replica_sum_family> {
  using key = replica_sum_call;

  template <replica_sum_call Call>
  static constexpr bool in_grains = true;

  template <replica_sum_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::int32_t replicas = Call.replicas;
    const index_range mine = updated_range<Call.parameter>(context.part);
    const float* terms[std::size_t{replicas}] = {};
    for (std::int32_t i = 0; i < replicas; ++i) {
      terms[i] = floats(operands[i]) + mine.begin;
    }
    kernels::sum_tensors(terms, replicas, floats(operands[0]) + mine.begin, mine.end - mine.begin);
  }
};

template <>
struct operators<&sgd_family<update_kind::descent>> : sgd_operators<update_kind::descent> {};

template <>
struct operators<&sgd_family<update_kind::momentum>> : sgd_operators<update_kind::momentum> {};

template <>
struct operators<&sgd_family<update_kind::nesterov>> : sgd_operators<update_kind::nesterov> {};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
