// SPDX-License-Identifier: MIT
// Code of the layers that merge tensors number by number.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/merge.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/merge.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Rows are computed apart from each other, so grains are rows.
template <>
struct operators<&merge_family> {
  using key = merge_call;
  using operation = merge_operation;

  template <merge_call Call>
  static constexpr bool in_grains = true;

  template <merge_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::ptrdiff_t stride = layout::row_stride(Call.elements);
    const index_range mine = range_of(Call.rows, context.part);
    const std::ptrdiff_t first = mine.begin * stride;
    const std::ptrdiff_t elements = mine.end * stride - first;
    const float* terms[std::size_t{Call.reads}] = {};
    for (std::int32_t i = 0; i < Call.reads; ++i) {
      terms[i] = floats(operands[1 + i]) + first;
    }
    float* const written = floats(operands[0]) + first;
    if constexpr (Call.operation == operation::difference) {
      kernels::merge_tensors<kernels::subtracted>(terms, Call.reads, 1, written, elements);
    } else if constexpr (Call.operation == operation::negative) {
      kernels::negate_tensor(terms[0], written, elements);
    } else if constexpr (Call.operation == operation::product) {
      kernels::merge_tensors<kernels::multiplied>(terms, Call.reads, 1, written, elements);
    } else if constexpr (Call.operation == operation::mean) {
      kernels::merge_tensors<kernels::added>(terms, Call.reads, static_cast<float>(Call.inputs),
                                             written, elements);
    } else if constexpr (Call.operation == operation::largest) {
      kernels::merge_tensors<kernels::larger>(terms, Call.reads, 1, written, elements);
    } else if constexpr (Call.operation == operation::smallest) {
      kernels::merge_tensors<kernels::smaller>(terms, Call.reads, 1, written, elements);
    } else if constexpr (Call.operation == operation::gradient_to_largest) {
      kernels::gradient_to_chosen<kernels::larger>(terms[0], terms + 1, Call.inputs, Call.of_input,
                                                   written, elements);
    } else {
      kernels::gradient_to_chosen<kernels::smaller>(terms[0], terms + 1, Call.inputs, Call.of_input,
                                                    written, elements);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
