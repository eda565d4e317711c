// SPDX-License-Identifier: MIT
// Callbacks on a thread of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/runtime/ordered_thread.hpp>
#include <ipu_dsl/training/hooks.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl {

/// How many updates callbacks may lie behind the training before it waits for them.
inline constexpr std::size_t asynchronous_depth = 64;

/// What is wrong with a number of callbacks.
template <std::size_t Count>
struct callback_count_fault_of {
  static constexpr problem find() {
    problem found;
    if (Count == 0) {
      found = refuse("callbacks", "none", "write asynchronous(progress_bar()), or leave it out");
      found.where = "asynchronous";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Callbacks that are called on one thread of their own, in order: `asynchronous(bar, table)`, what
/// the reference's `set_asynchronous_callbacks` does for all. on_train_batch_begin,
/// on_train_batch_end and on_update_end are called for every update as soon as its results are
/// there, whatever `steps_per_execution`, while training goes on: they may look at nothing but what
/// they are told. It waits where callbacks lie `asynchronous_depth` updates behind, between
/// updates, and at every other hook until it was called: those may do what they may do anyway. All
/// have been called when `fit` returns, and what they throw is thrown by `fit`. Metrics of several
/// numbers are told of epochs alone. Of `evaluate` and `predict` they are told where they are
/// called. Refers to what has a name, and keeps what has none.
template <typename... Callbacks>
class asynchronous {
  /// Whether one of them has this hook: who asks for every batch makes a run stop at every batch.
  template <hook When>
  static constexpr bool is_heard =
      (!is_null(hooks_of<std::remove_reference_t<Callbacks>>.of[static_cast<std::size_t>(When)]) ||
       ...);

  using references = std::array<callback_reference, sizeof...(Callbacks)>;

 public:
  explicit asynchronous(Callbacks&&... callbacks)
      : callbacks_(std::forward<Callbacks>(callbacks)...),
        all_{std::apply([](auto&... each) { return references{refer_to(each)...}; }, callbacks_)} {
    static_assert(diagnose<callback_count_fault_of<sizeof...(Callbacks)>>());
  }

  /// What is wrong with one of them; `fit` is told it.
  static constexpr problem fault_of_callbacks() {
    problem found;
    ((found = found.found() ? found : callback_fault_of<std::remove_reference_t<Callbacks>>::value),
     ...);
    return found;
  }

  asynchronous(const asynchronous&) = delete;
  asynchronous& operator=(const asynchronous&) = delete;

  void on_train_begin(training_run& run) {
    run_ = &run;
    beside_.emplace(run, training_run::on_another_thread());
    thread_ = std::make_unique<ordered_thread<told>>(
        asynchronous_depth,
        [](void* self, told& item) { static_cast<asynchronous*>(self)->serve(item); }, this);
    wait_for(hook::train_begin, nullptr);
  }

  void on_train_end() {
    wait_for(hook::train_end, nullptr);
    thread_.reset();
  }

  void on_train_failed() {
    thread_.reset();
    if (beside_) {
      list().call(hook::train_failed);
    }
  }

  void on_epoch_begin(const std::int32_t& epoch) {
    done_ = 0;
    wait_for(hook::epoch_begin, &epoch);
  }

  void on_epoch_end(const epoch_record& record) { wait_for(hook::epoch_end, &record); }

  void on_update_end(const execution_record& record) {
    told item{hook::update_end, nullptr, record, done_};
    item.record.metrics = single_metrics();
    done_ = record.steps;
    thread_->push(item);
  }

  void on_test_begin(training_run& run) { call_or_wait(run, hook::test_begin, nullptr); }

  void on_test_end(const evaluation& found, training_run& run) {
    call_or_wait(run, hook::test_end, &found);
  }

  void on_test_batch_begin(const std::int64_t& batch, training_run& run)
    requires(is_heard<hook::test_batch_begin>)
  {
    call_or_wait(run, hook::test_batch_begin, &batch);
  }

  void on_test_batch_end(const evaluation& found, training_run& run)
    requires(is_heard<hook::test_batch_end>)
  {
    call_or_wait(run, hook::test_batch_end, &found);
  }

  void on_predict_begin(training_run& run) { call_or_wait(run, hook::predict_begin, nullptr); }

  void on_predict_end(training_run& run) { call_or_wait(run, hook::predict_end, nullptr); }

  void on_predict_batch_begin(const std::int64_t& batch, training_run& run)
    requires(is_heard<hook::predict_batch_begin>)
  {
    call_or_wait(run, hook::predict_batch_begin, &batch);
  }

  void on_predict_batch_end(const std::int64_t& batch, training_run& run)
    requires(is_heard<hook::predict_batch_end>)
  {
    call_or_wait(run, hook::predict_batch_end, &batch);
  }

 private:
  /// What the thread is to tell.
  struct told {
    hook when = hook::update_end;
    const void* report = nullptr;  ///< of what training waits for
    execution_record record;       ///< of an update, which it does not wait for
    std::int64_t begun = 0;        ///< steps of the epoch before it
  };

  callback_list list() { return {all_, *beside_}; }

  void wait_for(hook when, const void* report) {
    thread_->push({when, report, {}, 0});
    thread_->drain();
  }

  /// Outside of a fit there is no thread: they are called where the hook is.
  void call_or_wait(training_run& run, hook when, const void* report) {
    if (thread_ != nullptr) {
      wait_for(when, report);
    } else {
      callback_list(all_, run).call(when, report);
    }
  }

  metric_values single_metrics() const {
    metric_values made;
    const metric_values found = run_->metrics().seen();
    for (const std::string_view name : found.names()) {
      if (found.numbers(name).size() == 1) {
        made.add(name, found[name]);
      }
    }
    return made;
  }

  /// On the thread.
  void serve(told& item) {
    const callback_list callbacks = list();
    if (item.when == hook::update_end) {
      const update_hook_scope scope = beside_->tell_of_update();
      execution_record before = item.record;
      before.steps = item.begun;
      callbacks.call(hook::train_batch_begin, &before);
      callbacks.call(hook::update_end, &item.record);
      callbacks.call(hook::train_batch_end, &item.record);
    } else {
      callbacks.call(item.when, item.report);
    }
    if (beside_->stop_requested()) {
      run_->request_stop();
    }
  }

  std::tuple<Callbacks...> callbacks_;
  references all_;
  training_run* run_ = nullptr;
  std::optional<training_run> beside_;
  std::int64_t done_ = 0;  ///< steps of the epoch
  std::unique_ptr<ordered_thread<told>> thread_;
};

template <typename... Callbacks>
asynchronous(Callbacks&&...) -> asynchronous<Callbacks...>;

}  // namespace ipu_dsl
