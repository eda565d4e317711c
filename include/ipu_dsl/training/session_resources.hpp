// SPDX-License-Identifier: MIT
// What a session takes of the machine: workers, and the plans that its memory is for.
#pragma once

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/runtime/executor.hpp>
#include <ipu_dsl/training/session_options.hpp>
#include <ipu_dsl/training/session_parts.hpp>

namespace ipu_dsl {

/// How many workers a session has for so many devices. Throws `error` if it is asked for less than
/// one, or for more than there can be.
[[gnu::cold]] inline int worker_count(const session_options& options, int devices) {
  if (options.threads < 1) {
    raise_error({"A session needs at least 1 thread, got ", options.threads, "."});
  }
  if (options.threads > worker_pool::most_workers) {
    raise_error({"A session has at most ", worker_pool::most_workers, " threads, got ",
                 options.threads, "."});
  }
  if (options.shared_from < 0) {
    raise_error({"Workers share calls from 0 operations or more, got ", options.shared_from, "."});
  }
  return worker_teams(options.threads, devices).workers();
}

/// The plans of all programs of a model.
[[gnu::cold]] inline list<program_plan_view> plans_of(const session_parts& parts) {
  list<program_plan_view> all{parts.predict.plan};
  if (parts.settings.has_loss) {
    all.push_back(parts.train.plan);
    all.push_back(parts.evaluate.plan);
  }
  return all;
}

}  // namespace ipu_dsl
