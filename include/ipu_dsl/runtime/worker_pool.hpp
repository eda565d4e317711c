// SPDX-License-Identifier: MIT
// Threads that live as long as a session and sleep between runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <ipu_dsl/runtime/counter.hpp>

namespace ipu_dsl {

/// What a run asks of each worker: a function and its argument, so that no call allocates.
struct worker_task {
  void (*run)(void* argument, int worker) = nullptr;
  void* argument = nullptr;
};

/// `workers` workers, the calling thread being worker 0.
class worker_pool {
 public:
  explicit worker_pool(int workers) {
    for (int worker = 1; worker < workers; ++worker) {
      threads_.emplace_back([this, worker] { serve(worker); });
    }
  }

  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  ~worker_pool() {
    closing_ = true;
    announce();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  int workers() const { return static_cast<int>(threads_.size()) + 1; }

  /// Runs the task on every worker and returns when all are done. The task must not throw.
  void run(const worker_task& task) {
    task_ = task;
    busy_.store(static_cast<std::int32_t>(threads_.size()), std::memory_order_relaxed);
    announce();
    task.run(task.argument, 0);
    for (int turn = 0; busy_.load(std::memory_order_acquire) != 0; ++turn) {
      if (turn < spins) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  static constexpr int spins = 2'000;

  void announce() {
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
  }

  void serve(int worker) {
    std::uint32_t seen = 0;
    while (true) {
      for (int turn = 0; turn < spins && generation_.load(std::memory_order_acquire) == seen;
           ++turn) {
        pause();
      }
      generation_.wait(seen, std::memory_order_acquire);
      seen = generation_.load(std::memory_order_acquire);
      if (closing_) {
        return;
      }
      task_.run(task_.argument, worker);
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }

  worker_task task_;
  bool closing_ = false;
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<std::int32_t> busy_{0};
  std::vector<std::thread> threads_;
};

}  // namespace ipu_dsl
