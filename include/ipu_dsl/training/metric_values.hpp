// SPDX-License-Identifier: MIT
// What the metrics of a model say, by name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/plan/options.hpp>

namespace ipu_dsl {

/// One number for each metric that a model was compiled with, in their order; of a model with
/// several losses before them each loss by itself, "price_loss". What judges one of several outputs
/// is called after it: "logits_accuracy". Takes no memory of its own; the names last.
class metric_values {
 public:
  void add(std::string_view name, double value) {
    names_[size_] = name;
    values_[size_] = value;
    ++size_;
  }

  /// `epoch.metrics["accuracy"]`. Throws `error` that lists the metrics there are if it is none of
  /// them.
  double operator[](std::string_view name) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (names_[i] == name) {
        return values_[i];
      }
    }
    throw error(refusal_of(name));
  }

  std::span<const std::string_view> names() const { return {names_, size_}; }

  /// In the order of `names()`.
  std::span<const double> values() const { return {values_, size_}; }

 private:
  std::string refusal_of(std::string_view name) const {
    std::string words = "There is no metric \"" + std::string(name) + "\"";
    if (size_ == 0) {
      return words + ": the model was compiled without. Write metrics<...> behind it in compile.";
    }
    words += "; the model has";
    for (std::size_t i = 0; i < size_; ++i) {
      words += (i == 0 ? " " : ", ") + std::string(names_[i]);
    }
    return words + ".";
  }

  std::string_view names_[most_results];
  double values_[most_results] = {};
  std::size_t size_ = 0;
};

}  // namespace ipu_dsl
