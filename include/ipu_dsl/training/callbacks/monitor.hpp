// SPDX-License-Identifier: MIT
// Whether what an epoch reports got better, as Keras's callbacks judge it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/training/history.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// Which numbers are better. `automatic`: what the name says, of a loss and of the metrics of the
/// library; of any other it has to be said.
enum class monitor_mode : std::uint8_t { automatic, smaller, greater };

/// What is wrong with a mode as a text, which Keras takes.
template <typename Words>
struct mode_fault_of {
  static constexpr problem find() {
    problem found = refuse("monitor_mode::smaller or monitor_mode::greater", "a text",
                           "min is .mode = monitor_mode::smaller, max is monitor_mode::greater, "
                           "auto is monitor_mode::automatic, the default");
    found.where = "the mode of a callback";
    return found;
  }

  static constexpr problem value = find();
};

/// A mode as an option of a callback.
class monitor_mode_option {
 public:
  constexpr monitor_mode_option(monitor_mode chosen) : chosen_(chosen) {}

  /// Refused with a sentence: a text.
  template <typename Words>
    requires std::convertible_to<const Words&, std::string_view>
  constexpr monitor_mode_option(const Words&) : chosen_(monitor_mode::automatic) {
    static_assert(diagnose<mode_fault_of<Words>>());
  }

  constexpr operator monitor_mode() const { return chosen_; }

 private:
  monitor_mode chosen_;
};

/// Which numbers of this name are better: "loss", a metric's, either behind that of an output and
/// "val_". `automatic`: it is none of them, or one that says nothing about the model's worth, or
/// one of several numbers.
inline monitor_mode mode_of_name(std::string_view name) {
  constexpr std::string_view grow[] = {"accuracy",
                                       "auc",
                                       "binary_accuracy",
                                       "categorical_accuracy",
                                       "cosine_similarity",
                                       "f1_score",
                                       "precision",
                                       "recall",
                                       "sparse_top_k_categorical_accuracy",
                                       "top_k_categorical_accuracy"};
  constexpr std::string_view shrink[] = {"loss",
                                         "binary_crossentropy",
                                         "categorical_crossentropy",
                                         "categorical_hinge",
                                         "hinge",
                                         "huber",
                                         "kl_divergence",
                                         "log_cosh",
                                         "mean_absolute_error",
                                         "mean_absolute_percentage_error",
                                         "mean_squared_error",
                                         "mean_squared_logarithmic_error",
                                         "poisson",
                                         "root_mean_squared_error",
                                         "squared_hinge"};
  const auto ends_with = [name](std::string_view metric) {
    return name == metric ||
           (name.ends_with(metric) && name[name.size() - metric.size() - 1] == '_');
  };
  if (std::any_of(std::begin(grow), std::end(grow), ends_with)) {
    return monitor_mode::greater;
  }
  return std::any_of(std::begin(shrink), std::end(shrink), ends_with) ? monitor_mode::smaller
                                                                      : monitor_mode::automatic;
}

/// Watches a number that epochs report.
class monitor {
 public:
  /// `min_delta` is what a number must be better by.
  monitor(std::string_view name, monitor_mode mode, double min_delta)
      : name_(name),
        mode_(mode == monitor_mode::automatic ? mode_of_name(name) : mode),
        min_delta_(min_delta) {
    forget();
  }

  /// Throws `error` if no epoch reports the number, in the name of the callback that watches it, if
  /// nobody has said which are better, or if the number has to be worse than it was.
  void check(const training_run& run, std::string_view who) const {
    run.check_reported(name_, who);
    if (mode_ == monitor_mode::automatic) {
      raise_error({who, " looks at ", name_,
                   ", whose name does not say whether more of it is better. Give it .mode = "
                   "monitor_mode::greater or monitor_mode::smaller."});
    }
    if (!(min_delta_ >= 0)) {
      raise_error(
          {who, " expects a min_delta of at least 0, got ", std::to_string(min_delta_), "."});
    }
  }

  /// Whether the epoch reports the number: not every epoch is validated.
  bool is_in(const epoch_record& record) const { return record.has(name_); }

  double value_in(const epoch_record& record) const { return record[name_]; }

  /// Whether one number is better than another by more than `min_delta`; a NaN never is.
  bool is_better(double value, double than) const {
    return is_greater() ? value - min_delta_ > than : value + min_delta_ < than;
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
    best_ = is_greater() ? -most : most;
  }

 private:
  bool is_greater() const { return mode_ == monitor_mode::greater; }

  std::string name_;
  monitor_mode mode_;
  double min_delta_;
  double best_ = 0;
};

}  // namespace ipu_dsl
