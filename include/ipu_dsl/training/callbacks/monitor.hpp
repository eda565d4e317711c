// SPDX-License-Identifier: MIT
// Whether what an epoch reports got better, as Keras's callbacks judge it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/training/history.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// Which numbers are better. `automatic`: the greater ones of an accuracy, an AUC, a precision, a
/// recall and an F1, the smaller ones of everything else.
enum class monitor_mode : std::uint8_t { automatic, smaller, greater };

/// Watches a number that epochs report.
class monitor {
 public:
  /// `min_delta` is what a number must be better by.
  monitor(std::string_view name, monitor_mode mode, double min_delta)
      : name_(name), greater_(is_greater(name, mode)), min_delta_(min_delta) {
    forget();
  }

  /// Throws `error` if no epoch reports the number, in the name of the callback that watches it, or
  /// if the number has to be worse than it was.
  void check(const training_run& run, std::string_view who) const {
    run.check_reported(name_, who);
    if (!(min_delta_ >= 0)) {
      throw error(sentence_of({who, " expects a min_delta of at least 0."}));
    }
  }

  /// Whether the epoch reports the number: not every epoch is validated.
  bool is_in(const epoch_record& record) const {
    return record.validation.samples > 0 || record.metrics.has(name_) || !name_.starts_with("val_");
  }

  double value_in(const epoch_record& record) const { return record[name_]; }

  /// Whether one number is better than another by more than `min_delta`; a NaN never is.
  bool is_better(double value, double than) const {
    return greater_ ? value - min_delta_ > than : value + min_delta_ < than;
  }

  /// Takes a number for the best one if it is better; whether it was.
  bool improve(double value) {
    const bool better = is_better(value, best_);
    best_ = better ? value : best_;
    return better;
  }

  double best() const { return best_; }

  /// Everything is better than what comes now.
  void forget() {
    constexpr double most = std::numeric_limits<double>::infinity();
    best_ = greater_ ? -most : most;
  }

 private:
  static bool is_greater(std::string_view name, monitor_mode mode) {
    constexpr std::string_view grow[] = {"acc", "auc", "precision", "recall", "f1"};
    bool found = mode == monitor_mode::greater;
    for (const std::string_view each : grow) {
      found = found || (mode == monitor_mode::automatic && name.find(each) != name.npos);
    }
    return found;
  }

  std::string name_;
  bool greater_;
  double min_delta_;
  double best_ = 0;
};

}  // namespace ipu_dsl
