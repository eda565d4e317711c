// SPDX-License-Identifier: MIT
// A learning rate for every epoch.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/training/callbacks/constant_rate.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// A function of an epoch's number and the rate so far that makes a rate.
template <typename Schedule>
concept rate_of_epoch = requires(Schedule& schedule, std::int32_t epoch, float rate) {
  { schedule(epoch, rate) } -> std::convertible_to<float>;
};

/// What is wrong with what is no such function.
template <typename Schedule>
struct rate_of_epoch_fault_of {
  static constexpr problem find() {
    if (rate_of_epoch<Schedule>) {
      return {};
    }
    label got;
    if constexpr (requires(Schedule& schedule) { schedule(std::int32_t{}); }) {
      got << "one of the epoch alone";
    } else if constexpr (std::constructible_from<learning_rate_schedule, const Schedule&>) {
      got << "a learning rate, " << type_name<Schedule>();
    } else {
      got << "another one, or none";
    }
    problem found =
        refuse("a function of the epoch and of the rate so far that returns a rate", got,
               "write [](std::int32_t epoch, float rate) { return ...; }; a number or "
               "a schedule is run{{.learning_rate = ...}}");
    found.where = "learning_rate_scheduler";
    return found;
  }

  static constexpr problem value = find();
};

/// Sets the rate of every epoch before it begins to what a function makes of its number and the
/// rate so far: `learning_rate_scheduler([](std::int32_t epoch, float rate) { ... })`. A rate that
/// depends on updates is better the optimizer's own: `{.learning_rate = cosine_decay{...}}`. Throws
/// `error` before the first step if it is such a schedule already. Refused with a sentence: what is
/// no such function.
template <typename Schedule>
class learning_rate_scheduler {
 public:
  explicit learning_rate_scheduler(Schedule schedule) : schedule_(std::move(schedule)) {
    static_assert(diagnose<rate_of_epoch_fault_of<Schedule>>());
  }

  void on_train_begin(training_run& run) const {
    check_constant_rate(run, "learning_rate_scheduler");
  }

  void on_epoch_begin(std::int32_t epoch, training_run& run) {
    if constexpr (rate_of_epoch<Schedule>) {
      run.set_learning_rate(static_cast<float>(schedule_(epoch, run.learning_rate())));
    }
  }

 private:
  Schedule schedule_;
};

}  // namespace ipu_dsl
