// SPDX-License-Identifier: MIT
// Code of Dot.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dot.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/dot.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Samples are multiplied apart from each other.
template <>
struct operators<&dot_family> {
  using key = dot_call;

  template <dot_call Call>
  static constexpr bool in_grains = true;

  template <dot_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr bool is_forward = Call.variant == dot_variant::forward;
    constexpr std::int32_t own = Call.variant == dot_variant::second_gradient ? 1 : 0;
    constexpr kernels::axis_rows rows = rows_of(Call.inputs[own]);
    constexpr kernels::axis_rows others = rows_of(Call.inputs[1 - own]);
    constexpr std::int32_t products = rows.count() * others.count();
    constexpr std::int32_t elements = is_forward ? products : rows.count() * rows.length;
    constexpr std::ptrdiff_t stride = layout::row_stride(elements);
    // Of a gradient the own input stands last, where it is read at all.
    constexpr bool reads_own = is_forward || Call.normalizes != 0;
    constexpr int own_operand = is_forward ? 1 : 3;
    float scales[std::size_t{rows.count()}];
    float other_scales[std::size_t{others.count()}];
    constexpr bool normalizes = Call.normalizes != 0;
    const index_range samples = range_of(Call.batch, context.part);
    for (std::int32_t sample = samples.begin; sample < samples.end; ++sample) {
      float* const made = floats(operands[0]) + sample * stride;
      const float* const x = reads_own ? sample_of<rows>(operands[own_operand], sample) : nullptr;
      const float* const other = sample_of<others>(operands[2], sample);
      if constexpr (normalizes) {
        kernels::scales_of_rows(x, rows, scales);
        kernels::scales_of_rows(other, others, other_scales);
      }
      const float* const own_by = normalizes ? scales : nullptr;
      const float* const other_by = normalizes ? other_scales : nullptr;
      if constexpr (is_forward) {
        kernels::dot_products(x, rows, own_by, other, others, other_by, made);
      } else {
        const kernels::product_gradients d = {
            floats(operands[1]) + sample * std::ptrdiff_t{layout::row_stride(products)},
            own == 0 ? others.count() : 1, own == 0 ? 1 : rows.count()};
        kernels::dot_gradient(d, x, rows, own_by, other, others, other_by, made);
      }
      kernels::clear_tensor(made + elements, stride - elements);
    }
  }

 private:
  static constexpr kernels::axis_rows rows_of(const dot_rows& given) {
    return {given.before, given.length, given.behind};
  }

  template <kernels::axis_rows Of>
  static const float* sample_of(const void* operand, std::int32_t sample) noexcept {
    return static_cast<const float*>(operand) +
           sample * std::ptrdiff_t{layout::row_stride(Of.count() * Of.length)};
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
