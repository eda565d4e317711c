// SPDX-License-Identifier: MIT
// Threads that live as long as a session and sleep between runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <ipu_dsl/runtime/counter.hpp>
#include <ipu_dsl/runtime/pinning.hpp>
#include <ipu_dsl/runtime/processors.hpp>
#include <ipu_dsl/runtime/waiting.hpp>

namespace ipu_dsl {

/// What a run asks of each worker: a function and its argument, so that no call allocates.
struct worker_task {
  void (*run)(void* argument, int worker) = nullptr;
  void* argument = nullptr;
};

/// `workers` workers, the calling thread being worker 0.
class worker_pool {
 public:
  /// Pins the workers if asked to, the calling thread among them: it is let go when the pool ends.
  /// Throws `error` if it cannot.
  explicit worker_pool(int workers, const pinning& places = {})
      : worker_pool(choose_waiting(workers, processors_of(places))) {
    start(workers, places);
  }

  /// The same with a policy of the caller's, unpinned.
  worker_pool(int workers, const waiting_policy& waiting) : worker_pool(waiting) {
    start(workers, {});
  }

  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  ~worker_pool() {
    closing_ = true;
    post(announced_);
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  int workers() const { return static_cast<int>(threads_.size()) + 1; }

  /// How the workers wait, between runs and within them.
  const waiting_policy& waiting() const { return waiting_; }

  /// Runs the task on every worker and returns when all are done. The task must not throw.
  void run(const worker_task& task) {
    task_ = task;
    post(announced_);
    task.run(task.argument, 0);
    wait_for_others();
  }

 private:
  /// Delegated to, so that the destructor ends the threads when the start of one fails.
  explicit worker_pool(const waiting_policy& waiting) : waiting_(waiting) {}

  /// Pinned workers may share a processor.
  static int processors_of(const pinning& places) {
    std::vector<int> distinct = places.processors;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    return distinct.empty() ? available_processors() : static_cast<int>(distinct.size());
  }

  void start(int workers, const pinning& places) {
    places.check(workers);
    threads_.reserve(static_cast<std::size_t>(workers - 1));
    for (int worker = 1; worker < workers; ++worker) {
      threads_.emplace_back([this, worker] { serve(worker); });
    }
    if (!places.processors.empty()) {
      pin(places);
    }
  }

  /// Every worker binds itself in a first run, so that a refusal can be thrown here.
  void pin(const pinning& places) {
    places_ = places.processors;
    pins_.resize(places_.size());
    run({[](void* self, int worker) { static_cast<worker_pool*>(self)->pin(worker); }, this});
    for (std::size_t worker = 0; worker < pins_.size(); ++worker) {
      if (!pins_[worker]->bound()) {
        throw error("The system does not let worker " + std::to_string(worker) +
                    " run on processor " + std::to_string(places_[worker]) + ".");
      }
    }
  }

  void pin(int worker) {
    const auto index = static_cast<std::size_t>(worker);
    pins_[index] = std::make_unique<pinned_thread>(places_[index]);
  }

  /// Nothing stops what waits between runs.
  void wait_for_others() {
    expected_ += static_cast<std::uint32_t>(threads_.size());
    wait_for(finished_, expected_, never_, waiting_);
  }

  void serve(int worker) {
    for (std::uint32_t next = 1;; ++next) {
      wait_for(announced_, next, never_, waiting_);
      if (closing_) {
        return;
      }
      task_.run(task_.argument, worker);
      post(finished_);
    }
  }

  waiting_policy waiting_;
  worker_task task_;
  bool closing_ = false;
  const stop_word never_{false};
  counter announced_;           ///< runs begun
  counter finished_;            ///< parts of runs done by the threads
  std::uint32_t expected_ = 0;  ///< what `finished_` is when all are done
  std::vector<std::thread> threads_;
  std::vector<int> places_;  ///< [workers], empty if they are not pinned
  std::vector<std::unique_ptr<pinned_thread>> pins_;
};

}  // namespace ipu_dsl
