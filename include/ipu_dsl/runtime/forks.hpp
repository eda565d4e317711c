// SPDX-License-Identifier: MIT
// Whether this process was forked off since: threads stay behind in the process that started them.
#pragma once

#include <atomic>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>

#include <ipu_dsl/core/standard.hpp>
#endif

namespace ipu_dsl {

/// How many forks lie between this process and the one in which `count_forks` was called first.
/// A number that costs a load; the identity of a process would cost a system call.
inline std::atomic<unsigned> forks_of_process{0};

/// Counts forks from now on.
inline void count_forks() {
#if defined(__unix__) || defined(__APPLE__)
  static const int registered = pthread_atfork(
      nullptr, nullptr, [] { forks_of_process.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
#endif
}

}  // namespace ipu_dsl
