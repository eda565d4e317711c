// SPDX-License-Identifier: MIT
// Loss and accuracy tile by tile: gradients by rows, sums over samples on one tile, in order.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/kernels/cross_entropy.hpp>
#include <ipu_dsl/kernels/logarithm.hpp>
#include <ipu_dsl/operators/tile_activation.hpp>
#include <ipu_dsl/operators/tile_operators.hpp>
#include <ipu_dsl/vocabulary/losses/sparse_categorical_crossentropy.hpp>
#include <ipu_dsl/vocabulary/metrics/accuracy.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What comes from the host and goes to it is not dealt over tiles.
template <>
struct tile_operators<&infeed_family> {
  static tile_jobs jobs(const call_signature&) { return {}; }
};

template <>
struct tile_operators<&outfeed_family> {
  static tile_jobs jobs(const call_signature&) { return {}; }
};

template <>
struct tile_operators<&sparse_categorical_crossentropy_family> {
  static tile_jobs jobs(const call_signature& signature) {
    const bool with_gradient =
        static_cast<crossentropy_variant>(signature.variant) == crossentropy_variant::gradient;
    const std::int32_t read = with_gradient ? 1 : 0;
    const stored_matrix scores(storage::rows, signature.extents[0], signature.extents[1]);
    const stored_matrix labels(storage::plain, signature.extents[0], 1);
    tile_job loss{.compute = add_losses, .operands = {}};
    loss.reads(read, scores, block_reach::all, block_reach::all)
        .reads(read + 1, labels, block_reach::all, block_reach::all);
    if (!with_gradient) {
      return {loss};
    }
    tile_job rows{.rows = scores.rows(),
                  .columns = scores.columns(),
                  .whole_rows = true,
                  .compute = gradient,
                  .operands = {}};
    rows.writes(0, scores)
        .reads(read, scores)
        .reads(read + 1, labels, block_reach::rows, block_reach::all);
    return {rows, loss};
  }

 private:
  static bool from_logits(const tile_step& here) {
    return static_cast<score_kind>(here.signature.extents[2]) == score_kind::logits;
  }

  static float clipped(float probability) {
    return kernels::minimum(kernels::largest_probability,
                            kernels::maximum(kernels::smallest_probability, probability));
  }

  static float sum_of_clipped(const private_matrix& scores, std::int32_t row) {
    float sum = 0.0F;
    for (std::int32_t n = 0; n < scores.columns(); ++n) {
      sum = sum + clipped(scores(row, n));
    }
    return sum;
  }

  static void gradient(const tile_step& here) {
    const private_matrix& written = here.operands[0];
    for (std::int32_t row = 0; row < written.rows(); ++row) {
      if (here.rows.begin + row >= here.context.valid_samples()) {
        for (std::int32_t n = 0; n < written.columns(); ++n) {
          written(row, n) = 0.0F;
        }
      } else if (from_logits(here)) {
        gradient_of_logits(here, row);
      } else {
        gradient_of_probabilities(here, row);
      }
    }
  }

  static void gradient_of_logits(const tile_step& here, std::int32_t row) {
    const private_matrix& written = here.operands[0];
    const private_matrix& logits = here.operands[1];
    const std::int32_t label = here.operands[2].integer(row, 0);
    const float scale = here.context.loss_scale;
    const float largest = tile_code::largest_of_row(logits, row);
    const float sum = tile_code::exponentials_of_row(logits, written, row, largest);
    for (std::int32_t n = 0; n < written.columns(); ++n) {
      const float probability = kernels::divide(written(row, n), sum);
      written(row, n) = (n == label ? probability - 1.0F : probability) * scale;
    }
  }

  static void gradient_of_probabilities(const tile_step& here, std::int32_t row) {
    const private_matrix& scores = here.operands[1];
    const std::int32_t label = here.operands[2].integer(row, 0);
    const float scale = here.context.loss_scale;
    const float sum = sum_of_clipped(scores, row);
    for (std::int32_t n = 0; n < scores.columns(); ++n) {
      const float score = scores(row, n);
      const bool held =
          score < kernels::smallest_probability || score > kernels::largest_probability;
      const float common = scale / sum;
      const float open = n == label ? common - scale / clipped(score) : common;
      here.operands[0](row, n) = held ? 0.0F : open;
    }
  }

  /// One chain over ascending samples.
  static void add_losses(const tile_step& here) {
    const private_matrix& scores = here.operands[0];
    const private_matrix& labels = here.operands[1];
    float chain = 0.0F;
    for (std::int32_t row = 0; row < here.context.valid_samples(); ++row) {
      chain = kernels::multiply_add(loss_of(here, scores, row, labels.integer(row, 0)),
                                    here.context.loss_scale, chain);
    }
    here.context.loss[here.context.micro_batch] = chain;
  }

  static float loss_of(const tile_step& here, const private_matrix& scores, std::int32_t row,
                       std::int32_t label) {
    if (!from_logits(here)) {
      const float sum = sum_of_clipped(scores, row);
      return kernels::logarithm(sum) - kernels::logarithm(clipped(scores(row, label)));
    }
    const float largest = tile_code::largest_of_row(scores, row);
    float sum = 0.0F;
    for (std::int32_t n = 0; n < scores.columns(); ++n) {
      sum = sum + kernels::exponential(scores(row, n) - largest);
    }
    return kernels::logarithm(sum) - (scores(row, label) - largest);
  }
};

template <>
struct tile_operators<&accuracy_family> {
  static tile_jobs jobs(const call_signature& signature) {
    const stored_matrix scores(storage::rows, signature.extents[0], signature.extents[1]);
    const stored_matrix labels(storage::plain, signature.extents[0], 1);
    tile_job job{.compute = count_hits, .operands = {}};
    job.reads(0, scores, block_reach::all, block_reach::all)
        .reads(1, labels, block_reach::all, block_reach::all);
    return {job};
  }

 private:
  static void count_hits(const tile_step& here) {
    const private_matrix& scores = here.operands[0];
    std::int32_t hits = 0;
    for (std::int32_t row = 0; row < here.context.valid_samples(); ++row) {
      std::int32_t best = 0;
      for (std::int32_t n = 1; n < scores.columns(); ++n) {
        best = scores(row, n) > scores(row, best) ? n : best;
      }
      hits += best == here.operands[1].integer(row, 0) ? 1 : 0;
    }
    here.context.hits[here.context.micro_batch] = hits;
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
