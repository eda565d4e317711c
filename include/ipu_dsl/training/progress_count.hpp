// SPDX-License-Identifier: MIT
// How far training has come, to be asked for by any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include <ipu_dsl/training/session_options.hpp>

namespace ipu_dsl {

/// Counts updates and samples. A thread that asks while another one trains gets numbers of before
/// or behind, and is then told by the session that it does one thing at a time.
class progress_count {
 public:
  training_progress reached() const {
    return {updates_.load(std::memory_order_relaxed), samples_.load(std::memory_order_relaxed)};
  }

  void go_on_from(const training_progress& progress) {
    updates_.store(progress.updates, std::memory_order_relaxed);
    samples_.store(progress.samples, std::memory_order_relaxed);
  }

  void count_update() { updates_.fetch_add(1, std::memory_order_relaxed); }

  void count_samples(std::int64_t samples) {
    samples_.fetch_add(static_cast<std::uint64_t>(samples), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> updates_{0};
  std::atomic<std::uint64_t> samples_{0};
};

}  // namespace ipu_dsl
