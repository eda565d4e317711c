// SPDX-License-Identifier: MIT
// What comes in and goes out of a program: feed, loss, accuracy, output.
#pragma once

#include <cstdint>
#include <span>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/kernels/cross_entropy.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/vocabulary/losses/sparse_categorical_crossentropy.hpp>
#include <ipu_dsl/vocabulary/metrics/accuracy.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&infeed_family> {
  using key = infeed_call;

  template <infeed_call Call>
  static void run(const run_context& context, void* const* operands, const float*) {
    constexpr std::int32_t batch = Call.batch;
    constexpr std::int32_t elements = Call.elements;
    constexpr std::int32_t stride = layout::row_stride(elements);
    micro_batch_rows rows{.features = {floats(operands[0]), std::size_t{batch} * stride},
                          .labels = {},
                          .micro_batch = batch,
                          .sample_elements = elements,
                          .row_stride = stride};
    if constexpr (Call.has_labels != 0) {
      rows.labels = {integers(operands[1]), std::size_t{batch}};
    }
    const std::int32_t valid = context.feed->next(rows);
    check_labels(rows.labels, valid, context.feed->classes());
    context.valid[context.micro_batch] = valid;
  }

 private:
  /// A label is an index: one that is no class would be read outside the scores.
  static void check_labels(std::span<const std::int32_t> labels, std::int32_t valid,
                           std::int32_t classes) {
    for (const std::int32_t& found : labels) {
      if (found < 0 || found >= classes) {
        refuse_label(found, &found - labels.data() < valid, valid, classes);
      }
    }
  }

  [[noreturn, gnu::noinline]] static void refuse_label(std::int32_t found, bool of_sample,
                                                       std::int32_t valid, std::int32_t classes) {
    if (of_sample) {
      throw error(
          sentence_of({"The data have the label ", found, "; expected 0 to ", classes - 1, "."}));
    }
    throw error(sentence_of({"A feed left the label ", found, " behind the ", valid,
                             " samples of a micro-batch; expected 0."}));
  }
};

template <>
struct operators<&outfeed_family> {
  using key = outfeed_call;

  template <outfeed_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::int32_t elements = Call.elements;
    constexpr std::ptrdiff_t stride = layout::row_stride(elements);
    const float* read = floats(operands[0]);
    float* row = context.output + context.first_sample * std::uint64_t{elements};
    for (std::int32_t sample = 0; sample < context.valid_samples(); ++sample) {
      for (std::int32_t i = 0; i < elements; ++i) {
        row[i] = read[sample * stride + i];
      }
      row += elements;
    }
  }
};

template <>
struct operators<&sparse_categorical_crossentropy_family> {
  using key = crossentropy_call;

  template <crossentropy_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::int32_t batch = Call.batch;
    constexpr std::int32_t classes = Call.classes;
    constexpr score_kind scores = Call.scores;
    constexpr bool with_gradient = Call.variant == crossentropy_variant::gradient;
    float* gradient = with_gradient ? floats(operands[0]) : nullptr;
    constexpr int read = with_gradient ? 1 : 0;
    float* loss = context.loss + context.micro_batch;
    *loss = 0;
    if constexpr (scores == score_kind::logits) {
      kernels::softmax_cross_entropy(floats(operands[read]), integers(operands[read + 1]), batch,
                                     classes, context.valid_samples(), context.loss_scale, loss,
                                     gradient);
    } else {
      kernels::probability_cross_entropy(floats(operands[read]), integers(operands[read + 1]),
                                         batch, classes, context.valid_samples(),
                                         context.loss_scale, loss, gradient);
    }
  }
};

template <>
struct operators<&accuracy_family> {
  using key = accuracy_call;

  template <accuracy_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    context.hits[context.micro_batch] = kernels::count_hits(
        floats(operands[0]), integers(operands[1]), Call.classes, context.valid_samples());
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
