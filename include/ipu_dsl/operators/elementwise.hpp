// SPDX-License-Identifier: MIT
// Activations, Add, Concatenate, Dropout and the sum of gradients: which kernel each variant is.
#pragma once

#include <ipu_dsl/core/partition.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/dropout.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/kernels/softmax.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Rows are computed apart from each other, so grains are rows or samples, here and below.
template <>
struct operators<&activation_family> {
  using key = activation_call;

  template <activation_call Call>
  static constexpr bool in_grains = true;

  template <activation_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr activation_kind kind = Call.kind;
    constexpr std::int32_t units = Call.units;
    constexpr activation_variant variant = Call.variant;
    const index_range mine = range_of(Call.rows, context.part);
    const std::int32_t samples = mine.end - mine.begin;
    const std::ptrdiff_t first = std::ptrdiff_t{mine.begin} * layout::row_stride(units);
    float* written = floats(operands[0]) + first;
    const float* read = floats(operands[1]) + first;
    if constexpr (variant == activation_variant::forward && kind == activation_kind::softmax) {
      kernels::softmax_forward(read, written, samples, units);
    } else if constexpr (variant == activation_variant::forward) {
      kernels::activation_forward<kind>(read, written, samples, units, scalars[0]);
    } else {
      const float* other = floats(operands[2]) + first;
      if constexpr (kind == activation_kind::softmax) {
        kernels::softmax_gradient(read, other, written, samples, units);
      } else if constexpr (gradient_from_output(kind)) {
        kernels::activation_gradient_from_output<kind>(read, other, written, samples, units,
                                                       scalars[0]);
      } else {
        kernels::activation_gradient_from_input<kind>(read, other, written, samples, units,
                                                      scalars[0]);
      }
    }
  }
};

/// Sums what it reads; of one read that is a copy.
template <std::int32_t Reads, std::int32_t Rows, std::int32_t Elements>
void sum_rows(const grain& part, void* const* operands) noexcept {
  constexpr std::ptrdiff_t stride = layout::row_stride(Elements);
  const index_range mine = range_of(Rows, part);
  const std::ptrdiff_t first = mine.begin * stride;
  const std::ptrdiff_t elements = mine.end * stride - first;
  const float* terms[std::size_t{Reads} + 1] = {};
  for (std::int32_t i = 0; i < Reads; ++i) {
    terms[i] = floats(operands[1 + i]) + first;
  }
  if constexpr (Reads == 0) {
    kernels::clear_tensor(floats(operands[0]) + first, elements);
  } else {
    kernels::sum_tensors(terms, Reads, floats(operands[0]) + first, elements);
  }
}

template <>
struct operators<&add_family> {
  using key = add_call;

  template <add_call Call>
  static constexpr bool in_grains = true;

  template <add_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    sum_rows<Call.reads, Call.rows, Call.elements>(context.part, operands);
  }
};

template <>
struct operators<&gradient_sum_family> {
  using key = gradient_sum_call;

  template <gradient_sum_call Call>
  static constexpr bool in_grains = true;

  template <gradient_sum_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    sum_rows<Call.readers, Call.rows, Call.elements>(context.part, operands);
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

/// The mask is that of the sample's number, so forward, backward and any schedule make the same.
template <>
struct operators<&dropout_family> {
  using key = dropout_call;

  template <dropout_call Call>
  static constexpr bool in_grains = true;

  template <dropout_call Call>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr std::int32_t elements = Call.elements;
    constexpr std::int32_t positions = Call.positions;
    const index_range samples = range_of(Call.batch, context.part);
    const index_range mine = {samples.begin * positions, samples.end * positions};
    const std::uint64_t first_row =
        context.first_sample * std::uint64_t{positions} + static_cast<std::uint64_t>(mine.begin);
    const std::ptrdiff_t first = std::ptrdiff_t{mine.begin} * layout::row_stride(elements);
    const kernels::dropout_mask mask{
        .seed = context.seed,
        .stream = context.stream,
        .first_element = first_row * static_cast<std::uint64_t>(elements),
        .rate = context.training ? scalars[0] : 0.0F};
    kernels::dropout(floats(operands[1]) + first, floats(operands[0]) + first,
                     mine.end - mine.begin, elements, mask);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
