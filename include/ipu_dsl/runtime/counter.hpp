// SPDX-License-Identifier: MIT
// How workers wait for each other: counters that only grow.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace ipu_dsl {

/// Tells the processor that this is a loop that waits.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Completed actions of one kind of one stage, over all runs; on lines of its own, because two
/// counters on one line cost three times as much (neighbouring lines are fetched in pairs).
struct alignas(128) counter {
  std::atomic<std::uint32_t> completed{0};
};

/// Set when a run is to stop: every loop that waits looks at it.
using stop_word = std::atomic<bool>;

/// Whether `completed` has passed `wanted`; the numbers wrap around.
inline bool reached(std::uint32_t completed, std::uint32_t wanted) {
  return static_cast<std::int32_t>(completed - wanted) >= 0;
}

/// Waits until the counter reaches `wanted`: first spinning, then letting others run, then asleep.
/// False if the run is to stop.
inline bool wait_for(const counter& awaited, std::uint32_t wanted, const stop_word& stop) {
  constexpr int spins = 2'000;
  constexpr int yields = 1'000;
  for (int turn = 0; !reached(awaited.completed.load(std::memory_order_acquire), wanted); ++turn) {
    if (stop.load(std::memory_order_relaxed)) {
      return false;
    }
    if (turn < spins) {
      pause();
    } else if (turn < spins + yields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  return true;
}

/// Counts one action more; whoever sees the new number sees what the action wrote.
inline void post(counter& completed) {
  const std::uint32_t now = completed.completed.load(std::memory_order_relaxed) + 1;
  completed.completed.store(now, std::memory_order_release);
}

}  // namespace ipu_dsl
