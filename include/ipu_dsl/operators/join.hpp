// SPDX-License-Identifier: MIT
// Code of layers of several inputs, and of the sum of what several readers add to one gradient.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Some rows of what is summed. With `Reads` of 0 the sum is nothing but zeros.
template <std::int32_t Reads, std::int32_t Rows, std::int32_t Elements>
struct summed_rows {
  const float* terms[std::size_t{Reads} + 1] = {};
  float* written;
  std::ptrdiff_t first;
  std::ptrdiff_t elements;

  summed_rows(const grain& part, void* const* operands) {
    constexpr std::ptrdiff_t stride = layout::row_stride(Elements);
    const index_range mine = range_of(Rows, part);
    first = mine.begin * stride;
    elements = mine.end * stride - first;
    written = floats(operands[0]) + first;
    for (std::int32_t i = 0; i < Reads; ++i) {
      terms[i] = floats(operands[1 + i]) + first;
    }
  }
};

template <>
struct operators<&add_family> {
  using key = add_call;

  template <add_call Call>
  static constexpr bool in_grains = true;

  template <add_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    const summed_rows<Call.reads, Call.rows, Call.elements> sum(context.part, operands);
    // Of one read it is a copy, and nothing if that is made in place.
    if (Call.reads > 1 || operands[0] != operands[1]) {
      kernels::sum_tensors<Call.applies>(sum.terms, Call.reads, sum.written, sum.elements);
    }
  }
};

template <>
struct operators<&gradient_sum_family> {
  using key = gradient_sum_call;

  template <gradient_sum_call Call>
  static constexpr bool in_grains = true;

  template <gradient_sum_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    const summed_rows<Call.readers, Call.rows, Call.elements> sum(context.part, operands);
    if constexpr (Call.readers == 0) {
      kernels::clear_tensor(sum.written, sum.elements);
    } else if constexpr (Call.through != activation_kind::linear) {
      const float* const made = floats(operands[1 + Call.readers]) + sum.first;
      kernels::sum_through<Call.through>(sum.terms, Call.readers, made, sum.written, sum.elements);
    } else {
      kernels::sum_tensors(sum.terms, Call.readers, sum.written, sum.elements);
    }
  }
};

template <>
struct operators<&concatenate_family> {
  using key = concatenate_call;

  template <concatenate_call Call>
  static constexpr bool in_grains = true;

  template <concatenate_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    const index_range samples = range_of(Call.batch, context.part);
    constexpr std::int32_t rows = Call.rows;
    constexpr std::int32_t columns = Call.columns;
    constexpr std::int32_t joined = Call.joined;
    constexpr std::int32_t offset = Call.offset;
    constexpr bool forward = Call.variant == concatenate_variant::forward;
    constexpr std::ptrdiff_t part_stride = layout::row_stride(rows * columns);
    constexpr std::ptrdiff_t joined_stride = layout::row_stride(rows * joined);
    for (std::int32_t sample = samples.begin; sample < samples.end; ++sample) {
      float* written = floats(operands[0]) + sample * (forward ? joined_stride : part_stride);
      const float* read = floats(operands[1]) + sample * (forward ? part_stride : joined_stride);
      if constexpr (forward) {
        kernels::copy_columns(read, columns, written + offset, joined, rows, columns);
        kernels::clear_columns(written + rows * joined, 0, 1,
                               static_cast<std::int32_t>(joined_stride) - rows * joined);
      } else {
        kernels::copy_columns(read + offset, joined, written, columns, rows, columns);
        kernels::clear_columns(written + rows * columns, 0, 1,
                               static_cast<std::int32_t>(part_stride) - rows * columns);
      }
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
