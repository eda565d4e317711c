// SPDX-License-Identifier: MIT
// What callbacks are told of the training that they watch, and what they may do to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/near_names.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/file_replacement.hpp>
#include <ipu_dsl/plan/reported_names.hpp>
#include <ipu_dsl/training/callback_list.hpp>
#include <ipu_dsl/training/session_engine.hpp>
#include <ipu_dsl/training/update_hook.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>

namespace ipu_dsl {

/// What a `fit` is about to do. Steps are micro-batches.
struct fit_plan {
  std::int32_t first_epoch = 0;
  std::int32_t epochs = 0;              ///< behind the last one
  std::int64_t steps = 0;               ///< of an epoch
  std::int64_t steps_of_execution = 0;  ///< which Keras calls a batch
  std::int32_t steps_of_update = 1;
  std::int32_t micro_batch = 1;               ///< samples of a step
  bool validates = false;                     ///< there are validation data
  std::span<const std::string_view> metrics;  ///< names of what is reported besides the loss
};

/// A `fit` as its callbacks see it: the second argument of any hook, if it takes one.
class training_run {
 public:
  /// `rate` is null for an optimizer whose settings have no `learning_rate`.
  training_run(session_engine& engine, learning_rate_schedule* rate)
      : engine_(&engine), rate_(rate) {}

  /// The same fit for callbacks on another thread, with a request to stop of its own.
  struct on_another_thread {};

  training_run(const training_run& of, on_another_thread)
      : engine_(of.engine_),
        rate_(of.rate_),
        plan_(of.plan_),
        files_(of.files_),
        asynchronous_(true) {}

  training_run(const training_run&) = delete;
  training_run& operator=(const training_run&) = delete;

  /// Training ends behind the execution at hand, its epoch and its `on_epoch_end` included. May be
  /// called on any thread.
  void request_stop() { __atomic_store_n(&stopped_, true, __ATOMIC_RELAXED); }

  bool stop_requested() const { return __atomic_load_n(&stopped_, __ATOMIC_RELAXED); }

  const fit_plan& plan() const { return plan_; }

  /// Before its callbacks are told of it; none of them has claimed a file yet.
  void set_plan(const fit_plan& plan) {
    plan_ = plan;
    own_files_.clear();
  }

  /// Notes in on_train_begin that a callback writes this file. Throws `error` if another one does:
  /// each would write over what the other has written, or remove it.
  void claim_file(const std::string& path, const char* who) {
    for (const claimed_file& other : *files_) {
      if (files::is_same_file(other.path, path)) {
        raise_error({other.who, " and ", who, " would both write ", path,
                     ". Hint: give each a file of its own."});
      }
    }
    files_->push_back({path, who});
  }

  /// Whether it is that of callbacks on another thread, which hear of updates while training goes
  /// on.
  bool is_asynchronous() const { return asynchronous_; }

  /// On the thread of such callbacks: while this lives there is nothing to look at but the plan.
  [[nodiscard]] update_hook_scope tell_of_update() const { return update_hook_scope(engine_); }

  /// The rate of the next update. Throws `error` if the optimizer has none.
  float learning_rate() const {
    return static_cast<float>(rate().of_update(engine().progress().updates + 1));
  }

  /// That of the rate, to be saved and loaded; null if the optimizer has none.
  learning_rate_schedule* schedule() const { return rate_; }

  /// A rate that stays, from the next update on, and behind this `fit` as well: a schedule that was
  /// there is gone. Throws `error` if it is no finite number of at least 0, or if the optimizer has
  /// none.
  void set_learning_rate(float wanted) {
    const learning_rate_schedule made(wanted);
    problem found = made.fault();
    if (found.found()) {
      found.where = "set_learning_rate";
      raise_error(found.message());
    }
    rate() = made;
  }

  /// Of the epoch so far. The numbers of metrics of several last until this is asked again.
  metric_values metrics() const { return engine().metrics_of_epoch(); }

  /// Of the session, to read, to save, or to set between epochs.
  parameters& weights() const { return engine().weights(); }

  /// For `save_training`. Throws `error` while the training goes on beside who asks.
  session_engine& engine() const {
    refuse_update_hook(engine_);
    return *engine_;
  }

  /// Throws `error` with the nearest names unless an epoch reports a number of this name, "loss",
  /// "accuracy", "val_loss"; `who` asks for it.
  void check_reported(std::string_view name, std::string_view who) const {
    if (reports(name)) {
      require_one_number(name, who);
      return;
    }
    const bool of_validation = name.starts_with(validation_prefix);
    const std::string_view validated = name.substr(of_validation ? validation_prefix.size() : 0);
    if (of_validation && !plan_.validates && reports(validated)) {
      raise_error({who, " looks at ", name,
                   ", and nothing is validated. Give fit validation_data(...) behind "
                   "its options, or let it look at ",
                   validated, "."});
    }
    raise_error({who, " looks at ", name.empty() ? "a number without a name" : name,
                 ", which no epoch reports.", nearest(name)});
  }

  /// Throws `error` if what is reported by this name is more than one number.
  void require_one_number(std::string_view name, std::string_view who) const {
    const bool of_validation = name.starts_with(validation_prefix);
    const metric_values reported = metrics();
    const std::string_view metric = name.substr(of_validation ? validation_prefix.size() : 0);
    if (!reported.has(metric)) {
      return;
    }
    const std::size_t count = reported.numbers(metric).size();
    if (count != 1) {
      raise_error({who, " looks at ", name, ", which has ", count,
                   " numbers: there is no better or worse of them."});
    }
  }

  /// Whether an epoch reports a number of this name.
  bool reports(std::string_view name) const {
    bool found = false;
    for (std::size_t i = 0; i < names(); ++i) {
      found = found || reported(i) == name;
    }
    return found;
  }

  /// How many numbers an epoch reports.
  std::size_t names() const { return (plan_.metrics.size() + 1) * (plan_.validates ? 2 : 1); }

  /// The name of one of them: the loss, the metrics, and then those of the validation.
  std::string reported(std::size_t number) const {
    const std::size_t of_training = plan_.metrics.size() + 1;
    const std::size_t which = number % of_training;
    return sentence_of({number < of_training ? std::string_view() : validation_prefix,
                        which == 0 ? std::string_view("loss") : plan_.metrics[which - 1]});
  }

 private:
  struct claimed_file {
    std::string path;
    const char* who;
  };

  learning_rate_schedule& rate() const {
    static_cast<void>(engine());
    if (rate_ == nullptr) {
      raise_error(
          "The settings of this optimizer have no learning_rate_schedule learning_rate that could "
          "be "
          "set.");
    }
    return *rate_;
  }

  /// " Did you mean val_loss? There are loss, accuracy."
  std::string nearest(std::string_view wanted) const {
    std::string known;
    std::string best;
    int least = near_names::unrelated;
    for (std::size_t i = 0; i < names(); ++i) {
      const std::string name = reported(i);
      const int distance = near_names::distance(wanted, name);
      best = distance < least ? name : best;
      least = distance < least ? distance : least;
      known += sentence_of({i == 0 ? "" : ", ", name});
    }
    const bool is_near = least < near_names::unrelated;
    return sentence_of(
        {is_near ? " Did you mean " : "", best, is_near ? "?" : "", " There are ", known, "."});
  }

  session_engine* engine_;
  learning_rate_schedule* rate_;
  fit_plan plan_;
  std::vector<claimed_file> own_files_;
  std::vector<claimed_file>* files_ = &own_files_;  ///< of the fit
  /// Written and read as one, by the compilers' own functions: <atomic> waits too, and takes 0.2 s
  /// of every source that includes it.
  bool stopped_ = false;
  bool asynchronous_ = false;
};

[[gnu::noinline]] inline void callback_list::call(hook when, const void* report) const {
  for (const callback_reference& each : all_) {
    const hook_function called = each.hooks->of[static_cast<std::size_t>(when)];
    if (called != nullptr && called(each.object, *run_, report) == stop_request::yes) {
      run_->request_stop();
    }
  }
}

inline bool callback_list::stopped() const {
  return run_ != nullptr && run_->stop_requested();
}

}  // namespace ipu_dsl
