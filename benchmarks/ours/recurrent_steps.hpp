// SPDX-License-Identifier: MIT
// Steps of recurrent layers, pushed one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "measure/contestant.hpp"

namespace ours {

struct recurrent_step {
  std::string name;          ///< "LSTM 32 to 32"
  std::int64_t weights = 0;  ///< of both kernels
  std::unique_ptr<measure::contestant> push;
  std::unique_ptr<measure::contestant> gates;  ///< what a step does behind its products, alone
};

/// LSTM and GRU of 16 to 128 units with as many features, a sample at a time.
std::vector<recurrent_step> recurrent_steps();

}  // namespace ours
