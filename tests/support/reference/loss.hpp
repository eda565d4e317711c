// SPDX-License-Identifier: MIT
// Sparse categorical cross-entropy and accuracy in float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/reference/activation.hpp"
#include "support/reference/matrix.hpp"

namespace reference {

/// What the scores are: logits, or probabilities that Keras clips to [1e-7, 1 - 1e-7] and takes for
/// the exponentials of logits.
enum class score_kind { logits, clipped_probabilities };

/// Keras's epsilon, in float32 as there.
inline constexpr double smallest_probability = static_cast<double>(1e-7F);
inline constexpr double largest_probability = static_cast<double>(1.0F - 1e-7F);

/// The logits that the scores of one sample stand for.
inline std::vector<double> logits_of(score_kind kind, const double* scores, std::size_t classes) {
  std::vector<double> logits(scores, scores + classes);
  if (kind == score_kind::clipped_probabilities) {
    for (double& value : logits) {
      value = std::log(std::clamp(value, smallest_probability, largest_probability));
    }
  }
  return logits;
}

/// -log of the label's share: log(sum of e^z) - z[label], with the largest z taken out.
inline double sample_loss(const std::vector<double>& logits, std::size_t label) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const double value : logits) {
    total += std::exp(value - largest);
  }
  return largest + std::log(total) - logits[label];
}

/// The mean loss of the samples.
inline double cross_entropy(score_kind kind, const matrix& scores,
                            std::span<const std::int32_t> labels) {
  double total = 0;
  for (std::size_t r = 0; r < scores.rows; ++r) {
    total += sample_loss(logits_of(kind, scores.row(r), scores.columns),
                         static_cast<std::size_t>(labels[r]));
  }
  return total / static_cast<double>(scores.rows);
}

/// The gradient of `cross_entropy`: (softmax - one at the label) / samples at the logits, times
/// 1 / p for a probability that is not clipped, 0 for one that is.
inline matrix cross_entropy_gradient(score_kind kind, const matrix& scores,
                                     std::span<const std::int32_t> labels) {
  matrix made(scores.rows, scores.columns);
  for (std::size_t r = 0; r < scores.rows; ++r) {
    const double* const given = scores.row(r);
    const std::vector<double> logits = logits_of(kind, given, scores.columns);
    double* const row = made.row(r);
    softmax_row(logits.data(), row, scores.columns);
    row[labels[r]] -= 1.0;
    for (std::size_t n = 0; n < scores.columns; ++n) {
      row[n] /= static_cast<double>(scores.rows);
      if (kind == score_kind::clipped_probabilities) {
        const bool inside = given[n] >= smallest_probability && given[n] <= largest_probability;
        row[n] = inside ? row[n] / given[n] : 0.0;
      }
    }
  }
  return made;
}

/// How many samples have their largest score at the label; of equal scores the first counts.
inline std::int64_t hits(const matrix& scores, std::span<const std::int32_t> labels) {
  std::int64_t found = 0;
  for (std::size_t r = 0; r < scores.rows; ++r) {
    const double* const row = scores.row(r);
    found += std::max_element(row, row + scores.columns) - row == labels[r] ? 1 : 0;
  }
  return found;
}

}  // namespace reference
