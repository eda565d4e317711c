// SPDX-License-Identifier: MIT
// How the two ends of a queue sleep and wake each other.
#pragma once

#include <atomic>
#include <cstdint>

namespace ipu_dsl {

/// What both ends of a queue sleep on. Whoever changes something rings; whoever waits keeps the
/// number of before it looked, and sleeps only as long as nobody has rung since: no change is
/// missed, whichever end is first.
class queue_alarm {
 public:
  /// The number to wait with; to be asked before looking at what is waited for.
  std::uint32_t rung() const { return rung_.load(std::memory_order_seq_cst); }

  /// Behind a change. Costs no system call where nobody sleeps.
  void ring() noexcept {
    rung_.fetch_add(1, std::memory_order_seq_cst);
    rung_.notify_all();
  }

  /// Asleep until somebody rings, unless somebody has rung since `before`.
  void wait(std::uint32_t before) const { rung_.wait(before, std::memory_order_seq_cst); }

 private:
  std::atomic<std::uint32_t> rung_{0};
};

}  // namespace ipu_dsl
