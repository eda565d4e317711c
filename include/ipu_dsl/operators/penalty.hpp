// SPDX-License-Identifier: MIT
// Penalties on weights: the call that adds their gradient, and what they add to the loss.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/elementary.hpp>
#include <ipu_dsl/graph/penalty.hpp>
#include <ipu_dsl/kernels/penalty.hpp>
#include <ipu_dsl/layout/panel.hpp>
#include <ipu_dsl/operators/update.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Dealt over grains as the update behind it is, so that the two need not wait for each other.
template <>
struct operators<&penalty_family> {
  using key = parameter_extents;

  template <parameter_extents Call>
  static constexpr bool in_grains = true;

  template <parameter_extents Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    const index_range mine = updated_range<Call>(context.part);
    kernels::add_penalty_gradient(
        floats(operands[0]) + mine.begin, floats(operands[1]) + mine.begin, mine.end - mine.begin,
        context.penalty_scale * scalars[0], context.penalty_scale * scalars[1]);
  }
};

/// The sums of |w| and of w^2 over a parameter, in the order of `sum_blocks`.
class penalty_sum {
 public:
  penalty_sum(const parameter_extents& parameter, float* stored)
      : cut_(sum_blocks_of(parameter)), stored_(stored) {
    for (std::int32_t block = 0; block < cut_.blocks; ++block) {
      if (parameter.lies == storage::panels) {
        add_columns(block);
      } else {
        add_row(block);
      }
    }
  }

  double of_magnitudes() const { return total(0); }

  double of_squares() const { return total(1); }

 private:
  static constexpr std::int32_t sums = 2;

  std::int32_t rows_of(std::int32_t block) const {
    const std::int32_t left = cut_.rows - block * cut_.rows_of_block;
    return left < cut_.rows_of_block ? left : cut_.rows_of_block;
  }

  void add_columns(std::int32_t block) {
    constexpr std::int32_t lanes = layout::native.lanes;
    const layout::panels panels(cut_.rows, cut_.columns);
    for (std::int32_t column = 0; column < cut_.columns; column += lanes) {
      float* const begin = stored_ + panels.offset(block * cut_.rows_of_block, column);
      float made[std::size_t{sums} * std::size_t{lanes}];
      kernels::sum_columns<kernels::penalty_sums, 0>({{begin}, begin}, rows_of(block), panels.width,
                                                     {}, made);
      for (std::int32_t i = 0; i < lanes && column + i < cut_.columns; ++i) {
        add(block * cut_.columns + column + i, made[i], made[lanes + i]);
      }
    }
  }

  void add_row(std::int32_t block) {
    float* const begin = stored_ + std::ptrdiff_t{block} * cut_.rows_of_block;
    float made[std::size_t{sums}];
    kernels::sum_elements<kernels::penalty_sums, 0>({{begin}, begin},
                                                    layout::row_stride(rows_of(block)), {}, made);
    add(block, made[0], made[1]);
  }

  /// Takes the sums of part `number` into its chain, as `kernels::fold_sums` does.
  void add(std::int32_t number, float magnitude, float square) {
    double* const chain = chains_[number % kernels::chains_of_sum];
    chain[0] = chain[0] + static_cast<double>(magnitude);
    chain[1] = chain[1] + static_cast<double>(square);
  }

  double total(std::int32_t sum) const {
    double all = 0;
    for (const auto& chain : chains_) {
      all = all + chain[sum];
    }
    return all;
  }

  sum_blocks cut_;
  float* stored_;
  double chains_[std::size_t{kernels::chains_of_sum}][std::size_t{sums}] = {};
};

/// What a parameter that lies at `stored` adds to the loss.
inline double penalty_of(const parameter_extents& parameter, const parameter_rules& rules,
                         float* stored) {
  const penalty_sum sum(parameter, stored);
  return elementary::product(static_cast<double>(rules.l1), sum.of_magnitudes()) +
         elementary::product(static_cast<double>(rules.l2), sum.of_squares());
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
