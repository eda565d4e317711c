// SPDX-License-Identifier: MIT
// A training step of a model that people know, as a question to every library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/buffer.hpp"
#include "measure/contestant.hpp"
#include "peers/entries.hpp"

namespace peers {

/// The models of examples/models/, and a layer of 128 LSTM units behind which scores stand.
enum class model_kind { lenet, resnet8, lstm, gpt };

/// A parameter as this library has it: kernels are [inputs, units] or [rows, columns, channels,
/// filters], the gates of an LSTM lie one behind the other.
struct model_parameter {
  std::string name;                   ///< "scores/kernel"
  std::vector<std::int64_t> extents;  ///< its shape
  measure::buffer values;             ///< what training starts from
  bool learns = true;                 ///< false: a state, such as a running mean
};

/// Samples and what the model starts from. Of the features those are there whose type the model
/// takes.
struct model_question {
  model_kind kind = model_kind::lenet;
  std::int64_t samples = 0;                   ///< of an update, one micro-batch
  measure::buffer numbers = {};               ///< [samples, ...], channels last
  std::vector<std::uint8_t> bytes = {};       ///< the same of a model that reads bytes
  std::vector<std::int32_t> characters = {};  ///< the same of one that reads characters
  std::vector<std::int32_t> labels = {};      ///< [samples], or one for every position
  std::vector<model_parameter> start = {};
  double multiply_adds = 0;  ///< of an update, as this library plans it
};

/// Training: forward, softmax and cross-entropy as a mean over all labels, backward, one update. A
/// GPT learns by AdamW with Keras's settings, the others by gradient descent with momentum.
class model_contestant : public measure::contestant {
 public:
  /// The parameters as they are now, as `start` has them.
  virtual std::vector<measure::buffer> parameters() = 0;

  /// The loss of the last step, before its update.
  virtual double loss() = 0;
};

inline constexpr float model_rate = 0.01F;
inline constexpr float model_momentum = 0.9F;

using model_entry = entered<model_question, model_contestant>;

}  // namespace peers
