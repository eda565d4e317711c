// SPDX-License-Identifier: MIT
// Which processor each worker is bound to.
#pragma once

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>

namespace ipu_dsl {

/// The processors of the workers of a pool, one for each; empty: wherever the system likes.
struct pinning {
  list<int> processors;

  /// Throws `error` if that is not one processor a worker.
  [[gnu::cold]] void check_workers(int workers) const {
    if (!processors.empty() && static_cast<int>(processors.size()) != workers) {
      raise_error({"Pinning takes one processor for each of ", workers, " workers, got ",
                   processors.size(), "."});
    }
  }
};

}  // namespace ipu_dsl
