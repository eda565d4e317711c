// SPDX-License-Identifier: MIT
// What a run really did, and when.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/action.hpp>

namespace ipu_dsl {

/// One action as it was executed. Times are nanoseconds of host time since the run began.
struct traced_action {
  std::int32_t worker = 0;
  std::int32_t device = 0;
  action what = {};
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// The actions of the last run, worker after worker in order of execution. Its memory is taken when
/// it is switched on, not while running.
class trace {
 public:
  bool enabled() const { return !of_worker_.empty(); }

  void enable(int workers, std::size_t actions) {
    of_worker_ = list<list<traced_action>>(workers);
    for (list<traced_action>& records : of_worker_) {
      records.reserve(actions);
    }
  }

  void begin_run() {
    for (list<traced_action>& records : of_worker_) {
      records.clear();
    }
  }

  void record(const traced_action& done) { of_worker_[done.worker].push_back(done); }

  int workers() const { return static_cast<int>(of_worker_.size()); }

  list_view<traced_action> of(int worker) const {
    const list<traced_action>& records = of_worker_[worker];
    return {records.data(), records.size()};
  }

  /// Throws `error` if no run was traced.
  [[gnu::cold]] void require_run() const {
    for (const list<traced_action>& records : of_worker_) {
      if (!records.empty()) {
        return;
      }
    }
    raise_error(
        "No run was traced. Hint: a session with {.trace = true} records every update, "
        "and last_trace() is the last one.");
  }

 private:
  list<list<traced_action>> of_worker_;
};

}  // namespace ipu_dsl
