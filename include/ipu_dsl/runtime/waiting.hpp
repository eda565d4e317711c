// SPDX-License-Identifier: MIT
// How long it pays to wait awake.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ipu_dsl/runtime/counter.hpp>
#include <ipu_dsl/runtime/host_clock.hpp>

namespace ipu_dsl {

/// Nanoseconds of one pause: 15 to 60 by processor. Measured in short rounds, of which the shortest
/// counts, since the others were interrupted.
inline double pause_nanoseconds() {
  constexpr int rounds = 5;
  constexpr int pauses = 200;
  double shortest = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t begin = steady_nanoseconds();
    for (int i = 0; i < pauses; ++i) {
      spin_pause();
    }
    const auto taken = static_cast<double>(steady_nanoseconds() - begin);
    shortest = (std::min)(shortest, taken / pauses);
  }
  return (std::max)(shortest, 1.0);
}

/// How workers wait that share this many processors. Falling asleep and being woken costs some
/// 50 us: with a processor for each worker they stay awake several times as long, which is longer
/// than most actions. With fewer, who spins keeps from working who is waited for, so the processor
/// is offered soon and often.
inline waiting_policy choose_waiting(int workers, int processors) {
  if (workers > processors) {
    return {.rounds = 20, .spins = 50};
  }
  // A yield with nobody to yield to costs about as much as ten to thirty pauses.
  constexpr int spins = 200;
  constexpr double awake_nanoseconds = 300'000;
  return {.rounds = static_cast<int>(awake_nanoseconds / (spins * pause_nanoseconds())),
          .spins = spins};
}

}  // namespace ipu_dsl
