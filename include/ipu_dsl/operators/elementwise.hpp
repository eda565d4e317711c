// SPDX-License-Identifier: MIT
// Activations, Add, Concatenate, Dropout and the sum of gradients: which kernel each variant is.
#pragma once

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

template <>
struct operators<&activation_family> {
  template <call_signature Signature>
  static void run(const run_context&, void* const* operands, const float* scalars) noexcept {
    constexpr auto kind = static_cast<activation_kind>(Signature.extents[0]);
    constexpr std::int32_t batch = Signature.extents[1];
    constexpr std::int32_t units = Signature.extents[2];
    constexpr auto variant = static_cast<activation_variant>(Signature.variant);
    float* written = floats(operands[0]);
    if constexpr (variant == activation_variant::forward && kind == activation_kind::softmax) {
      kernels::softmax_forward(floats(operands[1]), written, batch, units);
    } else if constexpr (variant == activation_variant::forward) {
      kernels::activation_forward<kind>(floats(operands[1]), written, batch, units, scalars[0]);
    } else if constexpr (kind == activation_kind::softmax) {
      kernels::softmax_gradient(floats(operands[1]), floats(operands[2]), written, batch, units);
    } else if constexpr (gradient_from_output(kind)) {
      kernels::activation_gradient_from_output<kind>(floats(operands[1]), floats(operands[2]),
                                                     written, batch, units, scalars[0]);
    } else {
      kernels::activation_gradient_from_input<kind>(floats(operands[1]), floats(operands[2]),
                                                    written, batch, units, scalars[0]);
    }
  }
};

/// Sums what it reads; of one read that is a copy.
template <std::int32_t Reads, std::int32_t Batch, std::int32_t Elements>
void sum_rows(void* const* operands) noexcept {
  const float* terms[std::size_t{Reads} + 1] = {};
  for (std::int32_t i = 0; i < Reads; ++i) {
    terms[i] = floats(operands[1 + i]);
  }
  constexpr std::ptrdiff_t elements = std::ptrdiff_t{Batch} * layout::row_stride(Elements);
  if constexpr (Reads == 0) {
    kernels::clear_tensor(floats(operands[0]), elements);
  } else {
    kernels::sum_tensors(terms, Reads, floats(operands[0]), elements);
  }
}

template <>
struct operators<&add_family> {
  template <call_signature Signature>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    sum_rows<Signature.extents[0], Signature.extents[1], Signature.extents[2]>(operands);
  }
};

template <>
struct operators<&gradient_sum_family> {
  template <call_signature Signature>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    sum_rows<Signature.extents[0], Signature.extents[1], Signature.extents[2]>(operands);
  }
};

template <>
struct operators<&concatenate_family> {
  template <call_signature Signature>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    constexpr std::int32_t batch = Signature.extents[0];
    constexpr std::int32_t rows = Signature.extents[1];
    constexpr std::int32_t columns = Signature.extents[2];
    constexpr std::int32_t joined = Signature.extents[3];
    constexpr std::int32_t offset = Signature.extents[4];
    constexpr bool forward =
        static_cast<concatenate_variant>(Signature.variant) == concatenate_variant::forward;
    constexpr std::ptrdiff_t part_stride = layout::row_stride(rows * columns);
    constexpr std::ptrdiff_t joined_stride = layout::row_stride(rows * joined);
    for (std::int32_t sample = 0; sample < batch; ++sample) {
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

/// The streams of dropout nodes, beyond those of the parameters' initial values.
inline constexpr std::uint64_t dropout_streams = std::uint64_t{1} << 32;

/// The mask is that of the sample's number, so forward, backward and any schedule make the same.
template <>
struct operators<&dropout_family> {
  template <call_signature Signature>
  static void run(const run_context& context, void* const* operands,
                  const float* scalars) noexcept {
    constexpr std::int32_t batch = Signature.extents[0];
    constexpr std::int32_t elements = Signature.extents[1];
    const kernels::dropout_mask mask{
        .seed = context.seed,
        .stream = dropout_streams + static_cast<std::uint64_t>(context.node),
        .first_element = context.first_sample * static_cast<std::uint64_t>(elements),
        .rate = context.training ? scalars[0] : 0.0F};
    kernels::dropout(floats(operands[1]), floats(operands[0]), batch, elements, mask);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
