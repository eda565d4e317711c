// SPDX-License-Identifier: MIT
// Time as the host measures it; that of the simulated machine is another.
#pragma once

#include <cstdint>

#if defined(__unix__) || defined(__APPLE__)
// <chrono> would cost every program that trains a tenth of a second to compile.
#include <time.h>
#else
#include <chrono>
#endif

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Nanoseconds of a clock that only goes forward.
inline std::int64_t steady_nanoseconds() {
#if defined(__unix__) || defined(__APPLE__)
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
#else
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
#endif
}

/// Nanoseconds since a run began.
class host_clock {
 public:
  void restart() { origin_ = steady_nanoseconds(); }

  std::int64_t now() const { return steady_nanoseconds() - origin_; }

 private:
  std::int64_t origin_ = 0;
};

}  // namespace ipu_dsl
