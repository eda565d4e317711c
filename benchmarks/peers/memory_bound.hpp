// SPDX-License-Identifier: MIT
// What every library is asked about layers that move more than they compute.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/buffer.hpp"
#include "measure/contestant.hpp"
#include "peers/entries.hpp"

namespace peers {

/// A layer in one direction. Normalisations have gamma and beta and an epsilon of 0.001; backward
/// they give the gradients of x, gamma and beta, by the moments that the forward pass kept.
enum class memory_bound_kind {
  layer_normalization,           ///< every row by its own mean and variance
  layer_normalization_gradient,  //
  batch_normalization,           ///< every channel by those of the batch, which are found as well
  batch_normalization_gradient,  //
  max_pooling,                   ///< the largest of 2 x 2 pixels
  gelu,                          ///< the exact one
  gelu_gradient,                 //
  softmax                        ///< of every row
};

struct memory_bound_question {
  memory_bound_kind kind = memory_bound_kind::gelu;
  std::int64_t samples = 0;
  std::int64_t rows = 1;       ///< of pixels
  std::int64_t columns = 1;    ///< of pixels
  std::int64_t channels = 0;   ///< of a pixel, or the numbers of a sample's only row
  measure::buffer x = {};      ///< [samples, rows, columns, channels]
  measure::buffer d = {};      ///< the gradient of the output, of a layer backward
  measure::buffer gamma = {};  ///< [channels]
  measure::buffer beta = {};   ///< [channels]

  std::int64_t elements() const { return samples * rows * columns * channels; }
};

class memory_bound_contestant : public measure::contestant {
 public:
  /// The output, or the gradient of x, in the order of x. To be asked for after a run.
  virtual std::vector<float> result() = 0;

  /// What a run wrote, as the library lays it out: what the next layer would read.
  virtual std::span<const float> written() const = 0;
};

using memory_bound_entry = entered<memory_bound_question, memory_bound_contestant>;

}  // namespace peers
