// SPDX-License-Identifier: MIT
// A training step and a prediction of the whole network, as questions to every library.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "measure/buffer.hpp"
#include "measure/contestant.hpp"
#include "peers/entries.hpp"
#include "table/network_shape.hpp"

namespace peers {

/// The parameters of a layer, in rows.
struct layer_weights {
  measure::buffer kernel;  ///< [inputs, outputs]
  measure::buffer bias;    ///< [outputs]
};

using network_weights = std::array<layer_weights, table::layer_count>;

/// Samples and what the network starts from.
struct network_question {
  int micro_batch = 0;
  int micro_batches = 1;     ///< of an update
  measure::buffer features;  ///< [micro_batches * micro_batch, 784]
  std::vector<std::int32_t> labels = {};
  network_weights start = {};
  float rate = 0.01F;
  float momentum = 0.9F;

  int samples() const { return micro_batch * micro_batches; }
};

/// Training: forward, softmax and cross-entropy as a mean over all samples, backward, gradients
/// summed over the micro-batches, one update by gradient descent with momentum.
class step_contestant : public measure::contestant {
 public:
  /// The parameters as they are now.
  virtual network_weights weights() = 0;
};

/// The same step with an update by Adam of Keras's rate and decays, `momentum` aside.
struct adam_question {
  const network_question& network;
};

/// Prediction of a micro-batch.
class predictor_contestant : public measure::contestant {
 public:
  /// The outputs of the last layer, [micro_batch, 10]. To be asked for after a run.
  virtual std::vector<float> outputs() = 0;
};

using adam_entry = entered<adam_question, step_contestant>;
using step_entry = entered<network_question, step_contestant>;
using predictor_entry = entered<network_question, predictor_contestant>;

}  // namespace peers
