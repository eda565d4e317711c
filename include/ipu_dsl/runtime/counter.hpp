// SPDX-License-Identifier: MIT
// How workers wait for each other: counters that only grow, watched awake for a while, then asleep.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Tells the processor that this is a loop that waits.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// How often who waits looks again before falling asleep: `rounds` times `spins` looks with a pause
/// after each, and once letting another thread have the processor: on a busy machine that may be
/// the one that is waited for. `choose_waiting` knows the numbers for a machine.
struct waiting_policy {
  int rounds = 0;
  int spins = 0;
};

/// Completed actions of one kind of one stage, over all runs; on lines of its own, because two
/// counters on one line cost three times as much (neighbouring lines are fetched in pairs).
struct alignas(128) counter {
  std::atomic<std::uint32_t> completed{0};
  std::atomic<std::uint32_t> sleepers{0};  ///< threads asleep, or about to be
  std::atomic<std::uint32_t> alarms{0};    ///< what they sleep on: changed to wake them
};

/// Set when a run is to stop: every loop that waits looks at it.
using stop_word = std::atomic<bool>;

/// Whether `completed` has passed `wanted`; the numbers wrap around.
inline bool reached(std::uint32_t completed, std::uint32_t wanted) {
  return static_cast<std::int32_t>(completed - wanted) >= 0;
}

/// Wakes who sleeps at the counter. Costs a system call if there is anybody, else a load.
inline void wake(counter& changed) {
  if (changed.sleepers.load(std::memory_order_seq_cst) != 0) {
    changed.alarms.fetch_add(1, std::memory_order_seq_cst);
    changed.alarms.notify_all();
  }
}

/// Sleeps until somebody wakes who sleeps here, unless the counter is at `wanted` or the run is to
/// stop. No wake-up is lost: marking oneself, and then looking, and the poster's counting, and then
/// looking for marks, are in one order that all threads see alike, so one of the two sees the
/// other; and an alarm between looking and sleeping keeps from sleeping.
inline void sleep_once(counter& awaited, std::uint32_t wanted, const stop_word& stop) {
  awaited.sleepers.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t before = awaited.alarms.load(std::memory_order_seq_cst);
  if (!reached(awaited.completed.load(std::memory_order_seq_cst), wanted) &&
      !stop.load(std::memory_order_seq_cst)) {
    awaited.alarms.wait(before, std::memory_order_seq_cst);
  }
  awaited.sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

/// Looks until the counter reaches `wanted` or the run is to stop, but not more often than that.
inline void spin(const counter& awaited, std::uint32_t wanted, const stop_word& stop, int looks) {
  for (int look = 0; look < looks; ++look) {
    if (reached(awaited.completed.load(std::memory_order_acquire), wanted) ||
        stop.load(std::memory_order_relaxed)) {
      return;
    }
    spin_pause();
  }
}

/// Waits until the counter reaches `wanted`: first spinning, then asleep; who is woken too early
/// begins anew, so that a burst of posts costs one system call. False if the run is to stop.
inline bool wait_for(counter& awaited, std::uint32_t wanted, const stop_word& stop,
                     const waiting_policy& policy) {
  for (int round = 0;; ++round) {
    spin(awaited, wanted, stop, policy.spins);
    if (reached(awaited.completed.load(std::memory_order_acquire), wanted)) {
      return true;
    }
    if (stop.load(std::memory_order_acquire)) {
      return false;
    }
    if (round < policy.rounds) {
      std::this_thread::yield();
    } else {
      sleep_once(awaited, wanted, stop);
      round = -1;
    }
  }
}

/// Counts one action more; whoever sees the new number sees what the action wrote. Several threads
/// may post at once.
inline void post(counter& completed) {
  completed.completed.fetch_add(1, std::memory_order_seq_cst);
  wake(completed);
}

/// Sends away all who wait at these counters with this stop word, asleep or not.
inline void stop_waiting(stop_word& stop, counter* counters, std::size_t count) {
  stop.store(true, std::memory_order_seq_cst);
  for (std::size_t i = 0; i < count; ++i) {
    wake(counters[i]);
  }
}

}  // namespace ipu_dsl
