// SPDX-License-Identifier: MIT
// What the metrics of a model say, by name.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/plan/options.hpp>

namespace ipu_dsl {

/// What each metric says that a model was compiled with, in their order; of a model with several
/// losses before them each loss by itself, "price_loss". What judges one of several outputs is
/// called after it: "logits_accuracy". Most say one number, and take no memory of their own; the
/// names last. A copy has the numbers of metrics of several in memory of its own.
class metric_values {
 public:
  metric_values() = default;

  metric_values(metric_values&& other) noexcept { take(other); }

  metric_values& operator=(metric_values&& other) noexcept {
    take(other);
    return *this;
  }

  ~metric_values() = default;

  metric_values(const metric_values& other) : metric_values(other.seen()) { own(); }

  metric_values& operator=(const metric_values& other) {
    metric_values copied(other);
    *this = std::move(copied);
    return *this;
  }

  void add(std::string_view name, double value) {
    entries_[size_] = {0, 1};
    names_[size_] = name;
    values_[size_] = value;
    ++size_;
  }

  /// One of several numbers, which lie where `see` says, from number `first` on.
  void add_several(std::string_view name, std::size_t first, std::size_t count) {
    add(name, (std::numeric_limits<double>::quiet_NaN)());
    entries_[size_ - 1] = {first, count};
  }

  /// Where the numbers of metrics of several lie, all of them, one metric behind the other.
  void see(std::span<const double> several) { several_ = several; }

  /// Refers to the same numbers, which must outlive it.
  metric_values seen() const {
    metric_values made;
    for (std::size_t i = 0; i < size_; ++i) {
      made.add(names_[i], values_[i]);
      made.entries_[i] = entries_[i];
    }
    made.several_ = several_;
    return made;
  }

  /// Whether there is a metric of this name.
  bool has(std::string_view name) const { return place_of(name) < size_; }

  /// `epoch.metrics["accuracy"]`. Throws `error` that lists the metrics there are if it is none of
  /// them, or says how to read it if it is of several numbers.
  double operator[](std::string_view name) const {
    const std::size_t found = find(name);
    if (entries_[found].count != 1) {
      raise_error({"The metric \"", name, "\" has ", entries_[found].count,
                   " numbers: write metrics.numbers(\"", name, "\")."});
    }
    return values_[found];
  }

  /// All numbers of a metric, of most just one: `found.metrics.numbers("confusion_matrix")`, in
  /// memory that lasts as this does, of an epoch until the next `fit`. Throws `error` that lists
  /// the metrics there are if it is none of them.
  std::span<const double> numbers(std::string_view name) const {
    const std::size_t found = find(name);
    if (entries_[found].count == 1) {
      return {values_ + found, 1};
    }
    return {several_.data() + entries_[found].first, entries_[found].count};
  }

  std::span<const std::string_view> names() const { return {names_, size_}; }

  /// The names for a sentence, behind another one: "loss, accuracy".
  [[gnu::cold]] sentence listed(std::string_view before) const {
    sentence known(before);
    for (std::size_t i = 0; i < size_; ++i) {
      known << (known.empty() ? "" : ", ") << names_[i];
    }
    return known;
  }

  /// In the order of `names()`; of a metric of several numbers a NaN.
  std::span<const double> values() const { return {values_, size_}; }

  /// The numbers of all metrics of several.
  std::span<const double> several() const { return several_; }

 private:
  struct entry {
    std::size_t first = 0;  ///< among those of several numbers
    std::size_t count = 1;
  };

  /// All its arrays: written once, because records of epochs are handed on in many places.
  [[gnu::cold, gnu::noinline]] void take(metric_values& other) noexcept {
    for (std::size_t i = 0; i < most_results; ++i) {
      names_[i] = other.names_[i];
      values_[i] = other.values_[i];
      entries_[i] = other.entries_[i];
    }
    size_ = other.size_;
    several_ = other.several_;
    own_ = std::move(other.own_);
  }

  void own() {
    own_.clear();
    own_.append({several_.data(), several_.size()});
    several_ = {own_.data(), own_.size()};
  }

  /// Behind all of them if there is none.
  std::size_t place_of(std::string_view name) const {
    std::size_t i = 0;
    while (i < size_ && names_[i] != name) {
      ++i;
    }
    return i;
  }

  std::size_t find(std::string_view name) const {
    const std::size_t found = place_of(name);
    if (found == size_) {
      refuse(name);
    }
    return found;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse(std::string_view name) const {
    if (size_ == 0) {
      raise_error({"There is no metric \"", name,
                   "\": the model was compiled without. Write metrics<...> behind it in compile."});
    }
    raise_error({"There is no metric \"", name, "\"; the model has ", listed(""), "."});
  }

  std::string_view names_[most_results];
  double values_[most_results] = {};
  entry entries_[most_results];
  std::size_t size_ = 0;
  std::span<const double> several_;
  list<double> own_;
};

}  // namespace ipu_dsl
