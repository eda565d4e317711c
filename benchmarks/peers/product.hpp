// SPDX-License-Identifier: MIT
// The matrix products of a dense layer, as a question to every library.
#pragma once

#include <memory>
#include <vector>

#include "measure/buffer.hpp"
#include "measure/contestant.hpp"
#include "peers/entries.hpp"

namespace peers {

enum class product_kind {
  forward,          ///< y = x W, with relu(x W + bias) where a library does that in one go
  input_gradient,   ///< dx = d W^T
  weight_gradient,  ///< dW = dW + x^T d
};

/// A product and its operands, all in rows.
struct product {
  product_kind kind = product_kind::forward;
  int batch = 0;
  int inputs = 0;
  int outputs = 0;
  measure::buffer x;      ///< [batch, inputs]
  measure::buffer w;      ///< [inputs, outputs]
  measure::buffer bias;   ///< [outputs]
  measure::buffer d;      ///< [batch, outputs]
  measure::buffer start;  ///< [inputs, outputs], what the weight gradient is added to
};

/// A product as a library computes it.
class product_contestant : public measure::contestant {
 public:
  /// What one run from the beginning gives, in rows. To be asked for before the race.
  virtual std::vector<float> result() = 0;

  /// Whether the forward product has bias and relu.
  virtual bool finishes_forward() const { return false; }
};

using product_entry = entered<product, product_contestant>;

}  // namespace peers
