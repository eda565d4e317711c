// SPDX-License-Identifier: MIT
// Which processor each worker is bound to.
#pragma once

#include <vector>

#include <ipu_dsl/core/error.hpp>

namespace ipu_dsl {

/// The processors of the workers of a pool, one for each; empty: wherever the system likes.
struct pinning {
  std::vector<int> processors;

  /// Throws `error` if that is not one processor a worker.
  [[gnu::cold]] void check_workers(int workers) const {
    if (!processors.empty() && static_cast<int>(processors.size()) != workers) {
      raise_error({"Pinning takes one processor for each of ", workers, " workers, got ",
                   processors.size(), "."});
    }
  }
};

}  // namespace ipu_dsl
