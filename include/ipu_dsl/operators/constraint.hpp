// SPDX-License-Identifier: MIT
// Constraints of parameters.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/constraint.hpp>
#include <ipu_dsl/kernels/constraint.hpp>
#include <ipu_dsl/layout/panel.hpp>
#include <ipu_dsl/operators/update.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Dealt by number as the update before it, or by vectors of columns; a norm of all is one part.
template <>
struct operators<&constraint_family> {
  using key = constraint_call;

  template <constraint_call Call>
  static constexpr bool by_number = Call.kind == constraint_kind::non_negative;

  template <constraint_call Call>
  static constexpr bool in_panels = Call.parameter.lies == storage::panels;

  template <constraint_call Call>
  static constexpr bool in_grains = by_number<Call> || in_panels<Call>;

  template <constraint_call Call>
  static constexpr bool reads_all_parts = !by_number<Call>;

  template <constraint_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    float* const w = floats(operands[0]);
    if constexpr (by_number<Call>) {
      const index_range mine = updated_range<Call.parameter>(context.part);
      kernels::make_non_negative(w + mine.begin, mine.end - mine.begin);
    } else if constexpr (in_panels<Call>) {
      constexpr std::int32_t lanes = layout::native.lanes;
      constexpr std::int32_t columns = layout::outputs_of_panels(Call.parameter.extents);
      constexpr layout::panels panels(layout::rows_of_panels(Call.parameter.extents), columns);
      const index_range mine = range_of(layout::ceiling_quotient(columns, lanes), context.part);
      for (std::int32_t vector = mine.begin; vector < mine.end; ++vector) {
        kernels::constrain_columns<Call.kind>(w + panels.offset(0, vector * lanes), panels.inputs,
                                              panels.width, scalars[0]);
      }
    } else {
      constexpr auto elements = static_cast<std::int32_t>(updated_elements(Call.parameter));
      kernels::constrain_elements<Call.kind>(w, elements, scalars[0]);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
