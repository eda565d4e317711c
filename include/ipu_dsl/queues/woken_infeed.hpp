// SPDX-License-Identifier: MIT
// An infeed queue that is made, and dropped, while others may wake whoever waits for it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include <ipu_dsl/queues/infeed_queue.hpp>

namespace ipu_dsl {

/// A queue or none. It belongs to one thread, which reads it and replaces it; `wake` alone may be
/// called from others. Who makes a queue behind a `wake` that found none sees what had been
/// requested before, and does not begin to wait.
class woken_infeed {
 public:
  explicit operator bool() const { return queue_ != nullptr; }

  infeed_queue* operator->() const { return queue_.get(); }

  /// Another queue, or none, in place of this one, which ends.
  void replace(std::unique_ptr<infeed_queue> made) {
    const std::lock_guard turn(turn_);
    queue_ = std::move(made);
  }

  /// Sends whoever waits in the queue's `next` to look at its stop token.
  void wake() noexcept {
    const std::lock_guard turn(turn_);
    if (queue_ != nullptr) {
      queue_->wake();
    }
  }

 private:
  std::mutex turn_;
  std::unique_ptr<infeed_queue> queue_;
};

}  // namespace ipu_dsl
