// SPDX-License-Identifier: MIT
// A learning rate for every epoch.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <ipu_dsl/training/callbacks/constant_rate.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// Sets the rate of every epoch before it begins to what a function makes of its number and the
/// rate so far: `learning_rate_scheduler([](std::int32_t epoch, float rate) { ... })`. A rate that
/// depends on updates is better the optimizer's own: `{.learning_rate = cosine_decay{...}}`. Throws
/// `error` before the first step if it is such a schedule already.
template <typename Schedule>
  requires std::convertible_to<std::invoke_result_t<Schedule&, std::int32_t, float>, float>
class learning_rate_scheduler {
 public:
  explicit learning_rate_scheduler(Schedule schedule) : schedule_(std::move(schedule)) {}

  void on_train_begin(training_run& run) const {
    check_constant_rate(run, "learning_rate_scheduler");
  }

  void on_epoch_begin(std::int32_t epoch, training_run& run) {
    run.set_learning_rate(static_cast<float>(schedule_(epoch, run.learning_rate())));
  }

 private:
  Schedule schedule_;
};

}  // namespace ipu_dsl
