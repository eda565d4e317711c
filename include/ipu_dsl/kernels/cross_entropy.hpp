// SPDX-License-Identifier: MIT
// Cross-entropy between labels and predictions, with its gradient, and the count of hits.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/logarithm.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/softmax.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The gradient of a row: (softmax - one-hot) * scale, from the exponentials in `row`.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void cross_entropy_row_gradient(float* row, float sum, std::int32_t label,
                                                      std::int32_t classes, float scale) noexcept {
  using lanes = vector<Architecture>;
  const float of_label = row[label] / sum;
  for (std::int32_t n = 0; n < classes; n += Architecture.lanes) {
    store(row + n, divide(load<lanes>(row + n), lanes(sum)) * lanes(scale));
  }
  row[label] = (of_label - 1.0F) * scale;
}

/// Adds scale * sum of -ln softmax(logits)[label] over the first `valid` samples to `*loss`, one
/// chain in ascending order, and writes the gradient of what was added.
///   logits   [batch][row_stride(classes)]
///   labels   [batch], each below `classes` (not checked here)
///   dlogits  [batch][row_stride(classes)], zero from sample `valid` on; null if not needed
/// A mean over the batch is `scale` = 1 / batch; chains go on over micro-batches.
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void softmax_cross_entropy(const float* __restrict logits,
                                             const std::int32_t* __restrict labels,
                                             std::int32_t batch, std::int32_t classes,
                                             std::int32_t valid, float scale,
                                             float* __restrict loss,
                                             float* __restrict dlogits) noexcept {
  const std::int32_t stride = layout::row_stride(classes, Architecture);
  float chain = *loss;
  for (std::int32_t b = 0; b < valid; ++b) {
    const float* const x = logits + std::ptrdiff_t{b} * stride;
    float* const dx = dlogits == nullptr ? nullptr : dlogits + std::ptrdiff_t{b} * stride;
    const float largest = row_maximum<Architecture>(x, classes);
    const float sum = row_exponentials<Architecture>(x, largest, dx, classes);
    chain = multiply_add(logarithm(sum) - (x[labels[b]] - largest), scale, chain);
    if (dx != nullptr) {
      cross_entropy_row_gradient<Architecture>(dx, sum, labels[b], classes, scale);
    }
  }
  *loss = chain;
  if (dlogits != nullptr) {
    clear_rows(dlogits, valid, batch, stride);
  }
}

/// Keras keeps probabilities off zero and one by this much (`epsilon()`).
inline constexpr float smallest_probability = 1e-7F;
inline constexpr float largest_probability = 1.0F - 1e-7F;

/// The gradient for one row of probabilities: scale (1 / sum - one-hot / q), zero where the clip
/// holds the probability.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void probability_row_gradient(const float* p, float* dp, float sum,
                                                    float of_label, std::int32_t label,
                                                    std::int32_t classes, float scale) noexcept {
  using lanes = vector<Architecture>;
  const lanes zero(0.0F);
  const lanes common(scale / sum);
  for (std::int32_t n = 0; n < classes; n += Architecture.lanes) {
    const lanes value = load<lanes>(p + n);
    const lanes above = choose(value >= lanes(smallest_probability), common, zero);
    store(dp + n, choose(value <= lanes(largest_probability), above, zero));
  }
  clear_padding(dp, classes, layout::row_stride(classes, Architecture));
  if (p[label] >= smallest_probability && p[label] <= largest_probability) {
    dp[label] = scale / sum - scale / of_label;
  }
}

/// As `softmax_cross_entropy`, from probabilities. Keras 2.4 clips them to q, takes the logarithm
/// and treats that as logits: softmax(ln q) = q / sum q, so the loss is ln(sum q) - ln q[label].
///   probabilities, dprobabilities  [batch][row_stride(classes)]
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] void probability_cross_entropy(const float* __restrict probabilities,
                                                 const std::int32_t* __restrict labels,
                                                 std::int32_t batch, std::int32_t classes,
                                                 std::int32_t valid, float scale,
                                                 float* __restrict loss,
                                                 float* __restrict dprobabilities) noexcept {
  const std::int32_t stride = layout::row_stride(classes, Architecture);
  float chain = *loss;
  for (std::int32_t b = 0; b < valid; ++b) {
    const float* const p = probabilities + std::ptrdiff_t{b} * stride;
    const auto clipped = [&](std::int32_t n) {
      return minimum(largest_probability, maximum(smallest_probability, p[n]));
    };
    float sum = 0.0F;
    for (std::int32_t n = 0; n < classes; ++n) {
      sum = sum + clipped(n);
    }
    const float of_label = clipped(labels[b]);
    chain = multiply_add(logarithm(sum) - logarithm(of_label), scale, chain);
    if (dprobabilities != nullptr) {
      probability_row_gradient<Architecture>(p, dprobabilities + std::ptrdiff_t{b} * stride, sum,
                                             of_label, labels[b], classes, scale);
    }
  }
  *loss = chain;
  if (dprobabilities != nullptr) {
    clear_rows(dprobabilities, valid, batch, stride);
  }
}

/// How many of the first `valid` samples have their largest score at the label; of equal scores the
/// first counts, as in `argmax`. scores  [batch][row_stride(classes)]
template <layout::architecture Architecture = layout::native>
[[gnu::noinline]] std::int32_t count_hits(const float* __restrict scores,
                                          const std::int32_t* __restrict labels,
                                          std::int32_t classes, std::int32_t valid) noexcept {
  const std::int32_t stride = layout::row_stride(classes, Architecture);
  std::int32_t hits = 0;
  for (std::int32_t b = 0; b < valid; ++b) {
    const float* const row = scores + std::ptrdiff_t{b} * stride;
    std::int32_t best = 0;
    for (std::int32_t n = 1; n < classes; ++n) {
      best = row[n] > row[best] ? n : best;
    }
    hits += best == labels[b] ? 1 : 0;
  }
  return hits;
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
