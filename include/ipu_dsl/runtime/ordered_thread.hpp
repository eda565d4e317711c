// SPDX-License-Identifier: MIT
// A thread that takes what it is given in order, from a queue that is never longer than it may be.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ipu_dsl {

/// Serves items one after the other on a thread of its own. Takes memory when it is made, and then
/// none, if assigning an item takes none. One thread gives, which is told what serving throws; the
/// items behind that one are not served.
template <typename Item>
class ordered_thread {
 public:
  /// `serve(object, item)` is called on the thread; at most `depth` items, at least 1, wait for it.
  ordered_thread(std::size_t depth, void (*serve)(void* object, Item& item), void* object)
      : serve_(serve), object_(object), waiting_(depth), thread_([this] { work(); }) {}

  ordered_thread(const ordered_thread&) = delete;
  ordered_thread& operator=(const ordered_thread&) = delete;

  /// What is being served ends; what waits is not served.
  ~ordered_thread() {
    {
      const std::lock_guard<std::mutex> held(lock_);
      closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// Waits for room. Throws what serving an item before has thrown.
  void push(const Item& item) {
    std::unique_lock<std::mutex> held(lock_);
    changed_.wait(held, [this] { return count_ < waiting_.size() || failure_ != nullptr; });
    rethrow();
    waiting_[(first_ + count_) % waiting_.size()] = item;
    ++count_;
    held.unlock();
    changed_.notify_all();
  }

  /// Waits until everything has been served. Throws what that has thrown.
  void drain() {
    std::unique_lock<std::mutex> held(lock_);
    changed_.wait(held, [this] { return (count_ == 0 && !busy_) || failure_ != nullptr; });
    rethrow();
  }

 private:
  void work() {
    std::unique_lock<std::mutex> held(lock_);
    while (true) {
      changed_.wait(held, [this] { return (count_ > 0 && failure_ == nullptr) || closing_; });
      if (closing_) {
        return;
      }
      served_ = waiting_[first_];
      first_ = (first_ + 1) % waiting_.size();
      --count_;
      busy_ = true;
      held.unlock();
      changed_.notify_all();
      const std::exception_ptr thrown = serve_one();
      held.lock();
      busy_ = false;
      failure_ = thrown;
      changed_.notify_all();
    }
  }

  std::exception_ptr serve_one() {
    try {
      serve_(object_, served_);
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  /// Whenever it is asked from then on.
  void rethrow() {
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
  }

  void (*serve_)(void* object, Item& item);
  void* object_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<Item> waiting_;  ///< a ring
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  Item served_;
  bool busy_ = false;
  bool closing_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  ///< last: it begins when all else is there
};

}  // namespace ipu_dsl
