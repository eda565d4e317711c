// SPDX-License-Identifier: MIT
// Time as the host measures it; that of the simulated machine is another.
#pragma once

#include <chrono>
#include <cstdint>

namespace ipu_dsl {

/// Nanoseconds since a run began.
class host_clock {
 public:
  void restart() { origin_ = std::chrono::steady_clock::now(); }

  std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                                origin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point origin_;
};

}  // namespace ipu_dsl
