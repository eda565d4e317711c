// SPDX-License-Identifier: MIT
// Callbacks that set the learning rate, and a session whose rate is a schedule.
#pragma once

#include <string_view>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// Throws `error`, in the name of the callback that would set it, if the learning rate depends on
/// the update: it would be a constant from then on. Or if the optimizer has none.
inline void check_constant_rate(const training_run& run, std::string_view who) {
  if (run.schedule() != nullptr && !run.schedule()->is_constant()) {
    raise_error({who,
                 " sets the learning rate, and that of this session is a schedule, which would be "
                 "gone. Give the session a number as learning_rate, or fit without ",
                 who, "."});
  }
  static_cast<void>(run.learning_rate());
}

}  // namespace ipu_dsl
