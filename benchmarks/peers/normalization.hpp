// SPDX-License-Identifier: MIT
// What every library is asked about LayerNormalization.
#pragma once

#include <cstdint>

#include "measure/buffer.hpp"
#include "measure/contestant.hpp"
#include "peers/entries.hpp"

namespace peers {

/// Rows normalised by their own mean and variance (epsilon 0.001), with gamma and beta; backward
/// the gradients of x, gamma and beta, by the moments that the forward pass kept.
struct normalization_question {
  bool backward = false;
  std::int64_t rows = 0;
  std::int64_t units = 0;
  measure::buffer x = {};  ///< [rows, units], and so are y and both gradients
  measure::buffer d = {};
  measure::buffer gamma = {};
  measure::buffer beta = {};
};

using normalization_contestant = measure::contestant;

using normalization_entry = entered<normalization_question, normalization_contestant>;

}  // namespace peers
