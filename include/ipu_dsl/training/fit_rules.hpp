// SPDX-License-Identifier: MIT
// What a fit refuses besides its steps, and what it tells its callbacks of itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/plan/model_interface.hpp>
#include <ipu_dsl/plan/run_settings.hpp>
#include <ipu_dsl/training/session_engine.hpp>
#include <ipu_dsl/training/step_rules.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// Throws `error` if what a fit is to validate on cannot be evaluated, or not so often.
[[gnu::cold]] inline void check_validation(const model_interface& model,
                                           const run_settings& settings,
                                           const fit_request& wanted) {
  const std::int32_t frequency = wanted.wanted.validation_frequency;
  if (frequency < 1) {
    raise_error(
        {"fit validates behind every epoch or behind every so many, validation_frequency is ",
         frequency, "."});
  }
  if (wanted.validation == nullptr && frequency != 1) {
    raise_error({"validation_frequency is ", frequency,
                 ", and nothing is validated. Give fit validation_data(...) behind its options."});
  }
  if (wanted.wanted.epochs > 0 && frequency > wanted.wanted.epochs) {
    raise_error({"validation_frequency is ", frequency, ", and fit has ", wanted.wanted.epochs,
                 " epochs: nothing would be validated."});
  }
  if (wanted.validation != nullptr) {
    check_feed(model, settings, *wanted.validation);
    require_end(*wanted.validation, "validation");
    if (wanted.validation->length() == 0) {
      raise_error("The validation data of fit have no samples; expected at least 1.");
    }
  }
}

/// Tells callbacks, if there are any, what a fit is that is about to begin.
inline void tell_plan(const fit_request& wanted, std::int32_t first_epoch, const epoch_steps& steps,
                      const run_settings& settings, std::span<const std::string_view> metrics) {
  if (wanted.callbacks.run() == nullptr) {
    return;
  }
  wanted.callbacks.run()->set_plan({.first_epoch = first_epoch,
                                    .epochs = wanted.wanted.epochs,
                                    .steps = steps.steps,
                                    .steps_of_execution = steps.of_execution,
                                    .steps_of_update = settings.micro_batches_of_update(),
                                    .micro_batch = settings.micro_batch,
                                    .validates = wanted.validation != nullptr,
                                    .metrics = metrics});
}

}  // namespace ipu_dsl
