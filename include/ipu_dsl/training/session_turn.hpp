// SPDX-License-Identifier: MIT
// A session does one thing at a time.
#pragma once

#include <atomic>

#include <ipu_dsl/core/error.hpp>

namespace ipu_dsl {

/// What a session is at; null: nothing.
using session_work = std::atomic<const char*>;

/// Throws `error`: the session is at work, by its own feed or callback, or on another thread.
[[noreturn]] inline void refuse_turn(const char* wanted, const char* at_work) {
  raise_error({"A session does one thing at a time: it was asked to ", wanted, " while it had to ",
               at_work,
               ", by its own feed or callback, or by another thread. Hint: use a "
               "session for each."});
}

/// Throws `error` if the session is at work.
inline void require_idle(const session_work& work, const char* wanted) {
  const char* const at_work = work.load(std::memory_order_relaxed);
  if (at_work != nullptr) {
    refuse_turn(wanted, at_work);
  }
}

/// A session's turn to do something, as long as this lives.
class session_turn {
 public:
  /// Throws `error` if the session is at work: its own feed asked, or another thread.
  session_turn(session_work& work, const char* wanted) : work_(&work) {
    const char* before = nullptr;
    if (!work.compare_exchange_strong(before, wanted, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
      refuse_turn(wanted, before);
    }
  }

  session_turn(const session_turn&) = delete;
  session_turn& operator=(const session_turn&) = delete;

  ~session_turn() { work_->store(nullptr, std::memory_order_release); }

 private:
  session_work* work_;
};

/// A session's turn to train once by itself: within no `fit`, its callbacks included.
class own_update_turn {
 public:
  own_update_turn(session_work& fitting, session_work& work, const char* wanted)
      : within_no_fit_(fitting, wanted), turn_(work, wanted) {}

 private:
  session_turn within_no_fit_;
  session_turn turn_;
};

}  // namespace ipu_dsl
