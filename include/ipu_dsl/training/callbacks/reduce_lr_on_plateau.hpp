// SPDX-License-Identifier: MIT
// Lowers the learning rate where training no longer gets better.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/training/callbacks/constant_rate.hpp>
#include <ipu_dsl/training/callbacks/monitor.hpp>
#include <ipu_dsl/training/callbacks/no_options.hpp>
#include <ipu_dsl/training/callbacks/unnamed_options.hpp>

namespace ipu_dsl {

/// What `reduce_lr_on_plateau` is told, with Keras's names and defaults.
struct reduce_lr_on_plateau_options {
  std::string monitor = "val_loss";  ///< a number that epochs report
  float factor = 0.1F;               ///< of the rate before, below 1
  std::int32_t patience = 10;        ///< epochs without anything better until the rate is lowered
  monitor_mode_option mode = monitor_mode::automatic;
  double min_delta = 1e-4;    ///< what counts as better
  std::int32_t cooldown = 0;  ///< epochs behind a reduction that are not counted
  float min_lr = 0;           ///< the rate does not become less
};

/// Multiplies the learning rate by `factor` when the monitored number did not get better for
/// `patience` epochs. Throws `error` before the first step if no epoch reports the number, for a
/// factor that does not lower a rate, and if the rate is a schedule.
class reduce_lr_on_plateau {
 public:
  explicit reduce_lr_on_plateau(no_options = {})
      : reduce_lr_on_plateau(reduce_lr_on_plateau_options()) {}

  explicit reduce_lr_on_plateau(reduce_lr_on_plateau_options options)
      : options_(std::move(options)),
        watched_(options_.monitor, options_.mode, options_.min_delta) {}

  /// Its options, as a compiler lists them where others are given.
  struct monitor_or_factor_or_patience_or_mode_or_min_delta_or_cooldown_or_min_lr;

  /// Others, in as few lines as a compiler can tell of them.
  template <
      typename Expected = monitor_or_factor_or_patience_or_mode_or_min_delta_or_cooldown_or_min_lr>
  explicit reduce_lr_on_plateau(...) = delete;

  /// Refused with a sentence: options without their names.
  template <typename First, typename... More>
    requires no_options_of<First, reduce_lr_on_plateau, reduce_lr_on_plateau_options>
  explicit reduce_lr_on_plateau(const First&, const More&...)
      : reduce_lr_on_plateau(reduce_lr_on_plateau_options()) {
    static_assert(
        diagnose<unnamed_options_fault_of<"reduce_lr_on_plateau({.factor = 0.5, .patience = 2})",
                                          First>>());
  }

  void on_train_begin(training_run& run) {
    watched_.check(run, "reduce_lr_on_plateau");
    if (!(options_.factor >= 0 && options_.factor < 1)) {
      raise_error({"reduce_lr_on_plateau expects a factor of at least 0 and below 1, got ",
                   std::to_string(options_.factor), "."});
    }
    if (options_.patience < 0 || options_.cooldown < 0) {
      raise_error(
          {"reduce_lr_on_plateau expects a patience and a cooldown of 0 epochs or more, got ",
           options_.patience, " and ", options_.cooldown, "."});
    }
    if (!(options_.min_lr >= 0)) {
      raise_error({"reduce_lr_on_plateau expects a min_lr of at least 0, got ",
                   std::to_string(options_.min_lr), "."});
    }
    check_constant_rate(run, "reduce_lr_on_plateau");
    watched_.forget();
    waited_ = 0;
    cooling_ = 0;
    reductions_ = 0;
  }

  void on_epoch_end(const epoch_record& record, training_run& run) {
    if (!watched_.is_in(record)) {
      return;
    }
    if (cooling_ > 0) {
      --cooling_;
      waited_ = 0;
    }
    if (watched_.improve(watched_.value_in(record))) {
      waited_ = 0;
      return;
    }
    if (cooling_ == 0 && ++waited_ >= options_.patience) {
      reduce(run);
    }
  }

  /// How often the rate was lowered.
  std::int32_t reductions() const { return reductions_; }

 private:
  void reduce(training_run& run) {
    const float before = run.learning_rate();
    if (before > options_.min_lr) {
      run.set_learning_rate((std::max)(before * options_.factor, options_.min_lr));
      cooling_ = options_.cooldown;
      waited_ = 0;
      ++reductions_;
    }
  }

  reduce_lr_on_plateau_options options_;
  monitor watched_;
  std::int32_t waited_ = 0;
  std::int32_t cooling_ = 0;
  std::int32_t reductions_ = 0;
};

}  // namespace ipu_dsl
