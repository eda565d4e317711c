// SPDX-License-Identifier: MIT
// A session does nothing for those who are told of an update while it trains on.
#pragma once

#include <ipu_dsl/core/error.hpp>

namespace ipu_dsl {

/// The engine that trains on while this thread tells an asynchronous callback of its update; null:
/// none.
inline thread_local const void* told_of_update = nullptr;

/// Throws `error` in such a callback: what it is told of the session may be of no update at all.
inline void refuse_update_hook(const void* engine) {
  if (told_of_update == engine) {
    raise_error(
        "An asynchronous callback was told of an update while training goes on: it may look at "
        "weights, rates and metrics, or ask the session for anything, in on_epoch_begin and "
        "on_epoch_end, when training waits.");
  }
}

/// As long as it lives, the callbacks of this thread may ask nothing of an engine.
class update_hook_scope {
 public:
  explicit update_hook_scope(const void* engine) { told_of_update = engine; }

  update_hook_scope(const update_hook_scope&) = delete;
  update_hook_scope& operator=(const update_hook_scope&) = delete;

  ~update_hook_scope() { told_of_update = nullptr; }
};

}  // namespace ipu_dsl
