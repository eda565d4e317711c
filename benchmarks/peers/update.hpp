// SPDX-License-Identifier: MIT
// An update of parameters by itself, as a question to every library.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "measure/buffer.hpp"
#include "measure/contestant.hpp"
#include "peers/entries.hpp"

namespace peers {

/// Adam with Keras's rate and decays, of parameters whose gradients are complete. Each run updates
/// the next of the sets, which are alike: many of them are in no cache when their turn comes.
struct update_question {
  std::int64_t elements = 0;  ///< of a set
  int sets = 1;
  measure::buffer start = {};
  measure::buffer gradient = {};
};

class update_contestant : public measure::contestant {
 public:
  /// The parameters of the first set as they are now.
  virtual std::vector<float> parameters() = 0;
};

using update_entry = entered<update_question, update_contestant>;

}  // namespace peers
