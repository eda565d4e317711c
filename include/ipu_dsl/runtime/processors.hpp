// SPDX-License-Identifier: MIT
// The processors that this process may use: how many, which, and a thread bound to one of them.
#pragma once

#include <cstddef>
#include <thread>

#if defined(__linux__)
#include <sched.h>

#include <ipu_dsl/core/standard.hpp>
#endif

namespace ipu_dsl {

#if defined(__linux__)

/// The processors that the calling thread may run on.
class processor_set {
 public:
  /// Those of the calling thread; not known where the system has more than a set can hold.
  processor_set() {
    CPU_ZERO(&processors_);
    known_ = sched_getaffinity(0, sizeof(processors_), &processors_) == 0;
  }

  /// One alone.
  explicit processor_set(int processor) : known_(processor >= 0 && processor < CPU_SETSIZE) {
    CPU_ZERO(&processors_);
    if (known_) {
      CPU_SET(static_cast<std::size_t>(processor), &processors_);
    }
  }

  /// How many; 0 if that is not known.
  int size() const { return known_ ? CPU_COUNT(&processors_) : 0; }

  /// Makes these the ones of the calling thread; false if the system refuses.
  bool bind() const {
    return known_ && sched_setaffinity(0, sizeof(processors_), &processors_) == 0;
  }

 private:
  cpu_set_t processors_;
  bool known_ = false;
};

#else

/// On this system threads cannot be bound: no set is known, and every binding is refused.
class processor_set {
 public:
  processor_set() = default;

  explicit processor_set(int) {}

  int size() const { return 0; }

  bool bind() const { return false; }
};

#endif

/// How many processors the calling thread may run on, at least 1.
inline int available_processors() {
  const int bound = processor_set().size();
  const int counted = bound > 0 ? bound : static_cast<int>(std::thread::hardware_concurrency());
  return counted > 0 ? counted : 1;
}

/// Binds a thread to a processor, and lets it go again at the end of its own life if that is on the
/// same thread.
class pinned_thread {
 public:
  /// Binds nothing yet.
  pinned_thread() = default;

  /// Binds the calling thread.
  explicit pinned_thread(int processor) { bind(processor); }

  pinned_thread(const pinned_thread&) = delete;
  pinned_thread& operator=(const pinned_thread&) = delete;

  ~pinned_thread() {
    if (bound_ && std::this_thread::get_id() == thread_) {
      before_.bind();
    }
  }

  /// Binds the calling thread, once in the life of a pin.
  void bind(int processor) {
    thread_ = std::this_thread::get_id();
    before_ = processor_set();
    bound_ = processor_set(processor).bind();
  }

  /// Whether the system granted it.
  bool bound() const { return bound_; }

 private:
  processor_set before_;
  std::thread::id thread_;
  bool bound_ = false;
};

}  // namespace ipu_dsl
