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

  /// Rows of numbers without padding between them, as of an embedding.
  template <constraint_call Call>
  static constexpr bool in_rows =
      Call.parameter.lies == storage::plain && Call.parameter.extents.rank > 1;

  template <constraint_call Call>
  static constexpr bool in_grains = by_number<Call> || in_panels<Call> || in_rows<Call>;

  template <constraint_call Call>
  static constexpr bool reads_all_parts = !by_number<Call>;

  template <constraint_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr std::int32_t lanes = layout::native.lanes;
    float* const w = floats(operands[0]);
    const kernels::norm_limits limits{scalars[0], scalars[1], Call.rate};
    if constexpr (by_number<Call>) {
      const index_range mine = updated_range<Call.parameter>(context.part);
      kernels::make_non_negative(w + mine.begin, mine.end - mine.begin);
    } else if constexpr (in_panels<Call>) {
      constexpr std::int32_t columns = layout::outputs_of_panels(Call.parameter.extents);
      constexpr layout::panels panels(layout::rows_of_panels(Call.parameter.extents), columns);
      const index_range mine = range_of(layout::ceiling_quotient(columns, lanes), context.part);
      for (std::int32_t vector = mine.begin; vector < mine.end; ++vector) {
        kernels::constrain_columns<Call.kind>(w + panels.offset(0, vector * lanes), panels.inputs,
                                              panels.width, limits);
      }
    } else if constexpr (in_rows<Call>) {
      constexpr shape extents = Call.parameter.extents;
      constexpr std::int32_t columns = extents[extents.rank - 1];
      constexpr auto rows = static_cast<std::int32_t>(extents.elements()) / columns;
      const index_range mine = range_of(layout::ceiling_quotient(columns, lanes), context.part);
      for (std::int32_t vector = mine.begin; vector < mine.end; ++vector) {
        constrain_some<Call.kind>(w, vector * lanes, rows, columns, limits);
      }
    } else {
      constexpr auto elements = static_cast<std::int32_t>(updated_elements(Call.parameter));
      kernels::constrain_elements<Call.kind>(w, elements, limits);
    }
  }

 private:
  /// As many columns as a vector has from `first` on, if there are so many.
  template <constraint_kind Kind>
  static void constrain_some(float* w, std::int32_t first, std::int32_t rows, std::int32_t columns,
                             const kernels::norm_limits& limits) noexcept {
    constexpr std::int32_t lanes = layout::native.lanes;
    if (first + lanes <= columns) {
      kernels::constrain_columns<Kind>(w + first, rows, columns, limits);
      return;
    }
    for (std::int32_t column = first; column < columns; ++column) {
      kernels::constrain_column<Kind>(w + column, rows, columns, limits);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
