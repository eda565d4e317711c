// SPDX-License-Identifier: MIT
// Sums over a whole parameter by the rule of an optimizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/graph/parameter_sums.hpp>
#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/kernels/parameter_sums.hpp>
#include <ipu_dsl/layout/panel.hpp>
#include <ipu_dsl/operators/update.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Dealt by vectors of columns of blocks, or by blocks.
template <>
struct operators<&parameter_sum_family> {
  using key = parameter_sum_call;

  template <parameter_sum_call Call>
  static constexpr bool in_grains = true;

  template <parameter_sum_call Call>
  static constexpr bool reads_all_parts = Call.stage > 0;

  template <parameter_sum_call Call, const family* Optimizer>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    using rule = typename update_rule<Optimizer>::type;
    static_assert(rule::sums == Optimizer->sums,
                  "ipu_dsl: the family of an optimizer says .sums as its rule does");
    constexpr sum_blocks cut = sum_blocks_of(Call.parameter);
    typename rule::numbers numbers = numbers_of<rule>(context);
    kernels::summed_parameter<rule> read{updated_parameter_of<rule>(operands + 1),
                                         floats(operands[2 + rule::kept])};
    take_sums<rule, Call.stage>(numbers, cut, operands + 3 + rule::kept);
    if constexpr (Call.parameter.lies == storage::panels) {
      sum_panels<rule, Call.stage, cut>(context.part, read, numbers, floats(operands[0]));
    } else {
      sum_row<rule, Call.stage, cut>(context.part, read, numbers, floats(operands[0]));
    }
  }

 private:
  template <typename Rule>
  static kernels::summed_parameter<Rule> at(const kernels::summed_parameter<Rule>& read,
                                            std::ptrdiff_t element) {
    return {read.of.at(element), read.gradient + element};
  }

  static constexpr std::int32_t rows_of(const sum_blocks& cut, std::int32_t block) {
    const std::int32_t left = cut.rows - block * cut.rows_of_block;
    return left < cut.rows_of_block ? left : cut.rows_of_block;
  }

  template <typename Rule, int Stage, sum_blocks Cut>
  static void sum_panels(const grain& part, const kernels::summed_parameter<Rule>& read,
                         const typename Rule::numbers& numbers, float* sums) {
    constexpr std::int32_t lanes = layout::native.lanes;
    constexpr std::int32_t width = layout::panel_width(Cut.columns);
    constexpr std::int32_t vectors = layout::ceiling_quotient(Cut.columns, lanes);
    const layout::panels panels(Cut.rows, Cut.columns);
    const index_range mine = range_of(Cut.blocks * vectors, part);
    for (std::int32_t n = mine.begin; n < mine.end; ++n) {
      const std::int32_t block = n / vectors;
      const std::int32_t column = n % vectors * lanes;
      const std::int32_t here = Cut.columns - column < lanes ? Cut.columns - column : lanes;
      float made[std::size_t{whole_sums::most_sums} * std::size_t{lanes}];
      kernels::sum_columns<Rule, Stage>(at(read, panels.offset(block * Cut.rows_of_block, column)),
                                        rows_of(Cut, block), width, numbers, made);
      for (std::int32_t sum = 0; sum < Rule::sums.of_stage[Stage]; ++sum) {
        float* const to = sums + sum * Cut.parts() + block * Cut.columns + column;
        for (std::int32_t i = 0; i < here; ++i) {
          to[i] = made[sum * lanes + i];
        }
      }
    }
  }

  template <typename Rule, int Stage, sum_blocks Cut>
  static void sum_row(const grain& part, const kernels::summed_parameter<Rule>& read,
                      const typename Rule::numbers& numbers, float* sums) {
    const index_range mine = range_of(Cut.blocks, part);
    for (std::int32_t block = mine.begin; block < mine.end; ++block) {
      float made[std::size_t{whole_sums::most_sums}];
      kernels::sum_elements<Rule, Stage>(at(read, std::ptrdiff_t{block} * Cut.rows_of_block),
                                         layout::row_stride(rows_of(Cut, block)), numbers, made);
      for (std::int32_t sum = 0; sum < Rule::sums.of_stage[Stage]; ++sum) {
        sums[sum * Cut.parts() + block] = made[sum];
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
