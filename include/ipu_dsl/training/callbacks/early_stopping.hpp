// SPDX-License-Identifier: MIT
// Ends training that no longer gets better.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/training/callbacks/monitor.hpp>
#include <ipu_dsl/training/callbacks/no_options.hpp>
#include <ipu_dsl/training/callbacks/unnamed_options.hpp>

namespace ipu_dsl {

/// What `early_stopping` is told, with Keras's names and defaults.
struct early_stopping_options {
  std::string monitor = "val_loss";  ///< a number that epochs report
  double min_delta = 0;              ///< what counts as better
  std::int32_t patience = 0;         ///< epochs without anything better until the end
  monitor_mode_option mode = monitor_mode::automatic;
  std::optional<double> baseline = {};  ///< what has to be reached for patience to begin anew
  bool restore_best_weights = false;
  std::int32_t start_from_epoch = 0;  ///< epochs before it are not looked at
};

/// Ends training when the monitored number did not get better for `patience` epochs:
/// `early_stopping({.monitor = "val_accuracy", .patience = 3})`. Epochs that do not report it are
/// passed over. With `restore_best_weights` the weights are in the end, however training ends but
/// by an exception, those of the best epoch; what the optimizer keeps stays that of the last.
/// Throws `error` before the first step if no epoch reports the number.
class early_stopping {
 public:
  explicit early_stopping(no_options = {}) : early_stopping(early_stopping_options()) {}

  explicit early_stopping(early_stopping_options options)
      : options_(std::move(options)),
        watched_(options_.monitor, options_.mode, options_.min_delta) {}

  /// Its options, as a compiler lists them where others are given.
  struct
      monitor_or_min_delta_or_patience_or_mode_or_baseline_or_restore_best_weights_or_start_from_epoch;

  /// Others, in as few lines as a compiler can tell of them.
  template <
      typename Expected =
          monitor_or_min_delta_or_patience_or_mode_or_baseline_or_restore_best_weights_or_start_from_epoch>
  explicit early_stopping(...) = delete;

  /// Refused with a sentence: options without their names.
  template <typename First, typename... More>
    requires no_options_of<First, early_stopping, early_stopping_options>
  explicit early_stopping(const First&, const More&...) : early_stopping(early_stopping_options()) {
    static_assert(diagnose<unnamed_options_fault_of<
                      "early_stopping({.monitor = \"val_loss\", .patience = 3})", First>>());
  }

  void on_train_begin(training_run& run) {
    watched_.check(run, "early_stopping");
    if (options_.patience < 0) {
      raise_error(
          {"early_stopping expects a patience of 0 epochs or more, got ", options_.patience, "."});
    }
    if (options_.start_from_epoch < 0) {
      raise_error({"early_stopping expects a start_from_epoch of 0 or more, got ",
                   options_.start_from_epoch, "."});
    }
    if (options_.baseline && std::isnan(*options_.baseline)) {
      raise_error("early_stopping expects a baseline that is a number, got NaN.");
    }
    watched_.forget();
    waited_ = 0;
    stopped_epoch_.reset();
    best_epoch_.reset();
    if (options_.restore_best_weights) {
      reserve(run.weights());
    }
  }

  stop_request on_epoch_end(const epoch_record& record, training_run& run) {
    if (record.epoch < options_.start_from_epoch || !watched_.is_in(record)) {
      return stop_request::no;
    }
    const double value = watched_.value_in(record);
    ++waited_;
    if (watched_.improve(value)) {
      best_epoch_ = record.epoch;
      keep(run.weights());
      if (!options_.baseline || watched_.is_better(value, *options_.baseline)) {
        waited_ = 0;
      }
      return stop_request::no;
    }
    if (waited_ < options_.patience) {
      return stop_request::no;
    }
    stopped_epoch_ = record.epoch;
    return stop_request::yes;
  }

  void on_train_end(training_run& run) {
    if (best_epoch_) {
      restore(run.weights());
    }
  }

  /// The epoch behind which training was ended, counted from 0; none if it was not, by this.
  std::optional<std::int32_t> stopped_epoch() const { return stopped_epoch_; }

  /// The epoch with the best number; none before the first one that reports it.
  std::optional<std::int32_t> best_epoch() const { return best_epoch_; }

  /// The best number.
  double best() const { return watched_.best(); }

 private:
  /// Memory is taken before the first epoch.
  void reserve(const parameters& weights) {
    kept_.resize(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      kept_[i].resize(static_cast<std::size_t>(weights.at(i).extents.elements()));
    }
  }

  void keep(const parameters& weights) {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      weights.get(i, {kept_[i].data(), kept_[i].size()});
    }
  }

  void restore(parameters& weights) const {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      weights.set(i, {kept_[i].data(), kept_[i].size()});
    }
  }

  early_stopping_options options_;
  monitor watched_;
  std::int32_t waited_ = 0;
  std::optional<std::int32_t> stopped_epoch_;
  std::optional<std::int32_t> best_epoch_;
  std::vector<std::vector<float>> kept_;  ///< empty unless the best weights are restored
};

}  // namespace ipu_dsl
