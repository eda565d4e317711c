// SPDX-License-Identifier: MIT
// Models whose layers do nothing: what is left of a step is the executor.
#pragma once

#include <memory>

#include "measure/contestant.hpp"

namespace ours {

/// A model and how much of everything one step of it has.
struct empty_model {
  std::unique_ptr<measure::contestant> step;
  int calls = 0;
  int actions = 0;
};

/// So many layers in one stage, or each in a stage of its own on one device.
empty_model few_empty_layers();
empty_model many_empty_layers();
empty_model many_empty_stages();

/// Calls of a training step of the network at one micro-batch.
int calls_of_network_step();

}  // namespace ours
