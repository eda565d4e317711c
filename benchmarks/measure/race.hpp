// SPDX-License-Identifier: MIT
// Contestants timed in turn, round after round, so that all of them see the same machine.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/contestant.hpp"

namespace measure {

/// How long a race takes: at least so many rounds and so long, and then on while minima still fall,
/// because others use the machine, but not for ever.
struct effort {
  int rounds = 300;
  double seconds = 0.7;
  double most_seconds = 8;
};

/// The seconds of one run of a contestant.
struct timing {
  double minimum = 0;  ///< what thresholds hold for: it repeats on a machine that others share
  double median = 0;
  int rounds = 0;
};

/// A contestant and what its time was.
struct lane {
  std::string name;
  contestant* runner = nullptr;
  timing time = {};
};

/// Fills in the times. A round takes one sample of every contestant, the order of the rounds
/// alternates. Before a sample a contestant runs once unmeasured: the others have emptied the
/// caches. A sample is as many runs as last 30 microseconds, but at least one.
void race(std::span<lane> lanes, const effort& wanted);

}  // namespace measure
