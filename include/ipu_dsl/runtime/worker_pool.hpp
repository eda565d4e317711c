// SPDX-License-Identifier: MIT
// Threads that live as long as a session and sleep between runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/runtime/counter.hpp>
#include <ipu_dsl/runtime/forks.hpp>
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
  /// More than any host has processors that share memory.
  static constexpr int most_workers = 1024;

  /// Pins the workers if asked to, the calling thread among them: it is let go when the pool ends.
  /// Throws `error` if it cannot, if it is asked for fewer workers than 1 or more than
  /// `most_workers`, or if the system does not grant so many threads.
  [[gnu::cold]] explicit worker_pool(int workers, const pinning& places = {})
      : worker_pool(choose_waiting(workers, processors_of(places))) {
    start(workers, places);
  }

  /// The same with a policy of the caller's, unpinned.
  worker_pool(int workers, const waiting_policy& waiting) : worker_pool(waiting) {
    start(workers, {});
  }

  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  [[gnu::cold]] ~worker_pool() {
    if (forked()) {
      // There is nothing to join, and a thread that was not joined must not be destroyed.
      return;
    }
    closing_ = true;
    post(announced_);
    for (std::thread& thread : *threads_) {
      thread.join();
    }
    delete threads_;
  }

  int workers() const { return static_cast<int>(threads_->size()) + 1; }

  /// How the workers wait, between runs and within them.
  const waiting_policy& waiting() const { return waiting_; }

  /// Runs the task on every worker and returns when all are done. The first thing that a worker
  /// throws is thrown here then: a task whose workers wait for each other must see to it that the
  /// others end. Throws `error` in a process that was forked off since the workers were started.
  void run(const worker_task& task) {
    check_process();
    task_ = task;
    post(announced_);
    perform(0);
    wait_for_others();
    if (failed_.load(std::memory_order_relaxed)) {
      failed_.store(false, std::memory_order_relaxed);
      const std::exception_ptr thrown = failure_;
      failure_ = nullptr;
      std::rethrow_exception(thrown);
    }
  }

 private:
  /// Delegated to, so that the destructor ends the threads when the start of one fails.
  [[gnu::cold]] explicit worker_pool(const waiting_policy& waiting) : waiting_(waiting) {
    count_forks();
    born_ = forks_of_process.load(std::memory_order_relaxed);
    threads_ = new list<std::thread>();
  }

  /// Pinned workers may share a processor.
  static int processors_of(const pinning& places) {
    int distinct = 0;
    for (std::size_t i = 0; i < places.processors.size(); ++i) {
      bool met = false;
      for (std::size_t before = 0; before < i; ++before) {
        met = met || places.processors[before] == places.processors[i];
      }
      distinct += met ? 0 : 1;
    }
    return distinct == 0 ? available_processors() : distinct;
  }

  [[gnu::cold]] void start(int workers, const pinning& places) {
    if (workers < 1 || workers > most_workers) {
      raise_error({"A pool has 1 to ", most_workers, " workers, got ", workers, "."});
    }
    places.check_workers(workers);
    threads_->reserve(static_cast<std::size_t>(workers - 1));
    for (int worker = 1; worker < workers; ++worker) {
      start_thread(worker, workers);
    }
    if (!places.processors.empty()) {
      pin(places);
    }
  }

  [[gnu::cold]] void start_thread(int worker, int workers) {
    try {
      threads_->push_back(std::thread([this, worker] { serve(worker); }));
    } catch (const std::system_error& refused) {
      raise_error({"The system grants ", worker, " of ", workers,
                   " workers, then it says: ", refused.code().message(), "."});
    }
  }

  bool forked() const {
    return !threads_->empty() && born_ != forks_of_process.load(std::memory_order_relaxed);
  }

  void check_process() const {
    if (forked()) {
      raise_error({"The threads of these ", workers(),
                   " workers stayed behind in the process that started them: this one "
                   "was forked off. Hint: make the session behind the fork."});
    }
  }

  /// Every worker binds itself in a first run, so that a refusal can be thrown here.
  [[gnu::cold]] void pin(const pinning& places) {
    places_ = places.processors;
    pins_ = list<pinned_thread>(places_.size());
    run({[](void* self, int worker) { static_cast<worker_pool*>(self)->pin(worker); }, this});
    for (std::size_t worker = 0; worker < pins_.size(); ++worker) {
      if (!pins_[worker].bound()) {
        raise_error({"The system does not let worker ", worker, " run on processor ",
                     places_[worker], "."});
      }
    }
  }

  void pin(int worker) {
    const auto index = static_cast<std::size_t>(worker);
    pins_[index].bind(places_[index]);
  }

  /// Nothing stops what waits between runs.
  void wait_for_others() {
    expected_ += static_cast<std::uint32_t>(threads_->size());
    wait_for(finished_, expected_, never_, waiting_);
  }

  /// A worker's part of a run.
  void perform(int worker) {
    try {
      task_.run(task_.argument, worker);
    } catch (...) {
      if (!failed_.exchange(true)) {
        failure_ = std::current_exception();
      }
    }
  }

  void serve(int worker) {
    for (std::uint32_t next = 1;; ++next) {
      wait_for(announced_, next, never_, waiting_);
      if (closing_) {
        return;
      }
      perform(worker);
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
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;            ///< of who failed first
  unsigned born_ = 0;                     ///< `forks_of_process` when the threads were started
  list<std::thread>* threads_ = nullptr;  ///< owned; null only while it is made
  list<int> places_;                      ///< [workers], empty if they are not pinned
  list<pinned_thread> pins_;
};

}  // namespace ipu_dsl
