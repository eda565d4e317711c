// SPDX-License-Identifier: MIT
// Stochastic gradient descent tile by tile, and the sum over replicas before it.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/update_kind.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/kernels/sgd.hpp>
#include <ipu_dsl/operators/tile_activation.hpp>
#include <ipu_dsl/operators/tile_operators.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

namespace tile_code {

/// Updates one number of a parameter from its complete gradient; `velocity` may be null for a kind
/// that keeps none.
inline void update_number(update_kind kind, float* parameter, float* velocity, float gradient,
                          const float* optimizer) {
  const kernels::update_numbers numbers{optimizer[0], optimizer[1]};
  switch (kind) {
    case update_kind::descent:
      kernels::update_parameter<update_kind::descent>(parameter, velocity, gradient, numbers);
      break;
    case update_kind::momentum:
      kernels::update_parameter<update_kind::momentum>(parameter, velocity, gradient, numbers);
      break;
    case update_kind::nesterov:
      kernels::update_parameter<update_kind::nesterov>(parameter, velocity, gradient, numbers);
      break;
    case update_kind::none:
      break;
  }
}

/// The parameter that a signature of `signature_of_parameter` speaks of; all axes but the last are
/// rows.
inline stored_matrix matrix_of_parameter(const call_signature& signature) {
  const std::int32_t rank = signature.extents[1];
  std::int32_t rows = 1;
  for (std::int32_t axis = 0; axis + 1 < rank; ++axis) {
    rows *= signature.extents[2 + axis];
  }
  const std::int32_t columns = rank == 0 ? 1 : signature.extents[1 + rank];
  return {static_cast<storage>(signature.extents[0]), rows, columns};
}

}  // namespace tile_code

/// Elementwise: the parameter, what is kept beside it, and its gradient lie alike.
template <update_kind Kind>
struct tile_sgd_operators {
  static tile_jobs jobs(const call_signature& signature) {
    const stored_matrix matrix = tile_code::matrix_of_parameter(signature);
    tile_job job{
        .rows = matrix.rows(), .columns = matrix.columns(), .compute = update, .operands = {}};
    job.updates(0, matrix);
    for (std::int32_t slot = 0; slot < slots_of(Kind); ++slot) {
      job.updates(1 + slot, matrix);
    }
    job.reads(1 + slots_of(Kind), matrix);
    return {job};
  }

 private:
  static void update(const tile_step& here) {
    const private_matrix& parameter = here.operands[0];
    const private_matrix& gradient = here.operands[1 + slots_of(Kind)];
    for (std::int32_t row = 0; row < parameter.rows(); ++row) {
      for (std::int32_t column = 0; column < parameter.columns(); ++column) {
        float* const velocity = slots_of(Kind) > 0 ? &here.operands[1](row, column) : nullptr;
        tile_code::update_number(Kind, &parameter(row, column), velocity, gradient(row, column),
                                 here.context.optimizer);
      }
    }
  }
};

/// The tile that holds a block of the first replica's accumulator receives that block of the
/// others, and adds them in the order of the replicas.
template <>
struct tile_operators<&replica_sum_family> {
  static tile_jobs jobs(const call_signature& signature) {
    const stored_matrix matrix = tile_code::matrix_of_parameter(signature);
    tile_job job{
        .rows = matrix.rows(), .columns = matrix.columns(), .compute = add, .operands = {}};
    job.updates(0, matrix);
    for (std::int32_t replica = 1; replica < signature.variant; ++replica) {
      job.reads(replica, matrix);
    }
    return {job};
  }

 private:
  static void add(const tile_step& here) {
    const private_matrix& sum = here.operands[0];
    for (const private_matrix& term : here.operands.subspan(1)) {
      tile_code::for_elements(sum, [&](std::int32_t row, std::int32_t column) {
        sum(row, column) = sum(row, column) + term(row, column);
      });
    }
  }
};

template <>
struct tile_operators<&sgd_family<update_kind::descent>>
    : tile_sgd_operators<update_kind::descent> {};

template <>
struct tile_operators<&sgd_family<update_kind::momentum>>
    : tile_sgd_operators<update_kind::momentum> {};

template <>
struct tile_operators<&sgd_family<update_kind::nesterov>>
    : tile_sgd_operators<update_kind::nesterov> {};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
