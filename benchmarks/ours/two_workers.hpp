// SPDX-License-Identifier: MIT
// What a second worker may gain: each entry is one way to share the work.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peers/network.hpp"

namespace ours {

/// A way to share a training step of `micro_batches` x 32 samples between two workers.
struct shared_step {
  std::string name;
  int micro_batches = 0;
  double goal = 0;   ///< times faster than one worker; 0 if none is set
  double bound = 0;  ///< what the plan says that the schedule can gain at most; 0 if unknown
  std::unique_ptr<peers::step_contestant> (*make)(const peers::network_question&, int threads);
};

const std::vector<shared_step>& shared_steps();

}  // namespace ours
