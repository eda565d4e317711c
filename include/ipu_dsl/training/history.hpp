// SPDX-License-Identifier: MIT
// What training reports: an epoch, and the loss of every micro-batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/plan/reported_names.hpp>
#include <ipu_dsl/training/metric_values.hpp>

namespace ipu_dsl {

/// What `evaluate` found: means over all samples.
struct evaluation {
  double loss = 0;
  metric_values metrics;  ///< `found.metrics["accuracy"]`
  std::int64_t samples = 0;

  /// By Keras's names: `found["loss"]`, `found["accuracy"]`. Throws `error` that lists the metrics
  /// there are if it is none of them.
  double operator[](std::string_view name) const { return name == "loss" ? loss : metrics[name]; }
};

/// One epoch, over its micro-batches: mean loss a sample, the metrics, seconds of host time.
struct epoch_record {
  std::int32_t epoch = 0;  ///< counts from 0
  double loss = 0;
  metric_values metrics;  ///< `epoch.metrics["accuracy"]`
  double seconds = 0;     ///< without those of the validation
  std::int64_t samples = 0;
  evaluation validation;  ///< what was found behind the epoch; without samples if nothing was
  std::int32_t validated_every = 0;  ///< epochs from one validation to the next; 0: there is none

  /// By Keras's names: `epoch["loss"]`, `epoch["accuracy"]`, `epoch["val_loss"]`. Throws `error`
  /// that lists the numbers there are if it is none of them, or says that there was no validation.
  double operator[](std::string_view name) const {
    if (name == "loss") {
      return loss;
    }
    if (metrics.has(name)) {
      return metrics[name];
    }
    if (!name.starts_with(validation_prefix)) {
      refuse_unknown(name);
    }
    if (validation.samples == 0) {
      refuse_missing_validation(name);
    }
    const std::string_view metric = name.substr(validation_prefix.size());
    return metric == "loss" ? validation.loss : validation.metrics[metric];
  }

  /// Whether it has a number that epochs of its fit report: not every one of them is validated.
  bool has(std::string_view name) const {
    if (name == "loss" || metrics.has(name)) {
      return true;
    }
    if (validation.samples == 0 || !name.starts_with(validation_prefix)) {
      return false;
    }
    const std::string_view metric = name.substr(validation_prefix.size());
    return metric == "loss" || validation.metrics.has(metric);
  }

 private:
  [[noreturn, gnu::cold]] void refuse_unknown(std::string_view name) const {
    raise_error({"The epoch ", epoch, " has no \"", name, "\". It has ", metrics.listed("loss"),
                 validation.samples > 0 ? ", and the same of the validation, as val_loss." : "."});
  }

  [[noreturn, gnu::cold]] void refuse_missing_validation(std::string_view name) const {
    if (validated_every == 0) {
      raise_error({"The epoch ", epoch, " has no \"", name,
                   "\": nothing was validated behind it. Give fit validation_data(...) behind its "
                   "options."});
    }
    raise_error({"The epoch ", epoch, " has no \"", name, "\": of every ", validated_every,
                 " epochs the last is validated, as validation_frequency says. Look at those whose "
                 "validation.samples are not 0, or let validation_frequency be 1."});
  }
};

/// A part of an epoch that ran without the host looking: the mean loss of its steps.
struct execution_record {
  std::int32_t epoch = 0;  ///< counts from 0
  std::int64_t steps = 0;  ///< of the epoch, done so far
  double loss = 0;
  double epoch_loss = 0;  ///< of all steps of the epoch so far
  /// Of the epoch so far, in memory that lasts until the next execution. Not in `on_update_end`,
  /// where `training_run::metrics` makes them for who wants them.
  metric_values metrics;
};

/// What is wrong with a loop over a history.
template <typename Record>
struct history_loop_fault_of {
  static constexpr problem find() {
    problem found = refuse("its epochs or its losses", "the history itself",
                           "write for (const epoch_record& epoch : passed.epochs())");
    found.where = "a loop over a history";
    return found;
  }

  static constexpr problem value = find();
};

/// The epochs of a `fit` and the mean loss of each of its micro-batches; of one that resumes, those
/// since it went on, of which the first epoch is reported as a whole, but for its seconds. Its
/// memory is the session's and lasts: a `fit` that fits into what was reserved takes none, and a
/// longer one takes some between two epochs only, never within one.
class history {
 public:
  /// Of the metrics of several numbers, how many an epoch has; before room is asked for. Its
  /// validation has as many.
  void set_numbers_of_epoch(std::size_t count) { numbers_of_epoch_ = 2 * count; }

  /// Room for so many in all. Throws `error` if there is no memory for them; nothing is changed
  /// then.
  [[gnu::cold]] void reserve(std::size_t epochs, std::size_t micro_batches) {
    try {
      epochs_.reserve(epochs);
      losses_.reserve(micro_batches);
      numbers_.reserve((std::min)(epochs * numbers_of_epoch_, most_reserved));
      see_numbers();
    } catch (const std::exception&) {
      raise_error({"There is no memory for a history of ", epochs,
                   epochs == 1 ? " epoch and " : " epochs and ", micro_batches,
                   " losses, one a step."});
    }
  }

  /// Room for an epoch more, of so many micro-batches. What has to grow at least doubles, so that
  /// it seldom does.
  void reserve_epoch(std::size_t micro_batches) {
    reserve(with_room(epochs_, 1), with_room(losses_, micro_batches));
  }

  void clear() {
    epochs_.clear();
    losses_.clear();
    numbers_.clear();
  }

  void add_loss(float loss) { losses_.push_back(loss); }

  /// Keeps the numbers of its metrics of several, for which there is room.
  [[gnu::cold]] void add_epoch(epoch_record record) {
    if (numbers_of_epoch_ > 0) {
      const std::span<const double> several = record.metrics.several();
      numbers_.append({several.data(), several.size()});
      numbers_.resize(numbers_.size() + numbers_of_epoch_ / 2);
    }
    epochs_.push_back(std::move(record));
    see_numbers();
  }

  /// What was found behind the last epoch.
  [[gnu::cold]] void add_validation(evaluation found) {
    const std::span<const double> several = found.metrics.several();
    const std::size_t first = numbers_.size() - several.size();
    for (std::size_t i = 0; i < several.size(); ++i) {
      numbers_[first + i] = several[i];
    }
    epochs_.back().validation = std::move(found);
    see_numbers();
  }

  /// One record an epoch, in order.
  std::span<const epoch_record> epochs() const { return {epochs_.data(), epochs_.size()}; }

  /// Refused with a sentence: a loop over the history itself.
  template <typename Record = epoch_record>
  const Record* begin() const {
    static_assert(diagnose<history_loop_fault_of<Record>>());
    return nullptr;
  }

  template <typename Record = epoch_record>
  const Record* end() const {
    return nullptr;
  }

  /// The mean loss of every micro-batch that this `fit` trained on, in order.
  std::span<const float> losses() const { return {losses_.data(), losses_.size()}; }

 private:
  /// Of the numbers of metrics of several no more are reserved: the matrices of 256 classes of a
  /// thousand epochs would take half a gigabyte. Beyond them room is made between two epochs.
  static constexpr std::size_t most_reserved = std::size_t{1} << 20;

  /// Numbers move when there must be more room.
  void see_numbers() {
    for (std::size_t i = 0; i < epochs_.size() && numbers_of_epoch_ > 0; ++i) {
      const double* const first = numbers_.data() + i * numbers_of_epoch_;
      epochs_[i].metrics.see({first, numbers_of_epoch_ / 2});
      epochs_[i].validation.metrics.see({first + numbers_of_epoch_ / 2, numbers_of_epoch_ / 2});
    }
  }

  template <typename T>
  static std::size_t with_room(const list<T>& kept, std::size_t more) {
    const std::size_t wanted = kept.size() + more;
    return wanted <= kept.capacity() ? wanted : (std::max)(wanted, 2 * kept.capacity());
  }

  list<epoch_record> epochs_;
  list<float> losses_;
  list<double> numbers_;  ///< [epochs, numbers_of_epoch_], those of validations behind
  std::size_t numbers_of_epoch_ = 0;
};

/// `for (const epoch_record& epoch : passed.epochs)`, without the brackets of the call.
template <typename Records>
void begin(Records (history::*)() const) = delete;

template <typename Records>
void end(Records (history::*)() const) = delete;

}  // namespace ipu_dsl
