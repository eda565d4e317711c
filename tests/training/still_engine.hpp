// SPDX-License-Identifier: MIT
// An engine that does nothing, with one parameter: callbacks are tried without a model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/training/session_engine.hpp>
#include <ipu_dsl/training/training_run.hpp>

namespace ipu_dsl::tests {

class still_engine final : public session_engine {
 public:
  still_engine() {
    place_.stored.extents = shape{4};
    place_.stored.name = "kernel";
    place_.floats = values_.size();
  }

  const history& fit(const fit_request&) override { return history_; }

  double train_step(feed_reference, const optimizer_reference&) override { return 0; }

  double compute_gradients(feed_reference, const optimizer_reference&) override { return 0; }

  void apply_gradients(const optimizer_reference&) override {}

  parameters& gradients() override { return weights_; }

  evaluation evaluate(feed_reference, const callback_list&) override { return {}; }

  std::int64_t predict(feed_reference, list_view<std::span<float>>, const callback_list&) override {
    return 0;
  }

  std::int64_t hand_out(feed_reference, std::int64_t, output_listener&) override { return 0; }

  void listen(run_listener*) override {}

  void check_batch(list_view<std::int64_t>, std::size_t) const override {}

  void set_value(std::int32_t, float) override {}

  float value(std::int32_t) const override { return 0; }

  parameters& weights() override { return weights_; }

  training_identity identity() const override { return {.optimizer = "sgd"}; }

  parameters& kept() override { return weights_; }

  void use_averages(bool) override {}

  void require_weights(const char*) const override {}

  void require_loadable(const char*) const override {}

  void require_whole_update(const char*) const override {}

  training_progress progress() const override { return {}; }

  metric_values metrics_of_epoch() override {
    metric_values made;
    made.add("accuracy", 0.25);
    return made;
  }

  void go_on_from(const training_progress&) override {}

  /// It stands where it is put.
  bool tell_place(training_place& found) const override {
    found = place_of_fit;
    return has_place;
  }

  void go_on_at(training_place found) override { place_of_fit = std::move(found); }

  list_view<run_value_interface> run_values() const override { return {}; }

  const trace& last_trace() const override { return trace_; }

  std::uint64_t seed() const override { return 1; }

  std::size_t bytes() const override { return 0; }

  training_place place_of_fit;
  bool has_place = true;

 private:
  std::array<float, 4> values_{};
  parameter_place place_;
  parameters weights_{list_view<parameter_place>(&place_, 1),
                      static_cast<std::byte*>(static_cast<void*>(values_.data()))};
  history history_;
  trace trace_;
};

/// A fit of `epochs` epochs of 10 steps that reports a loss and an accuracy.
class still_run {
 public:
  explicit still_run(std::int32_t epochs, bool validates = false)
      : epochs_(epochs), validates_(validates) {
    begin();
  }

  /// Another fit of the same kind, of whose files nobody knows yet.
  void begin() {
    run.set_plan({.epochs = epochs_,
                  .steps = 10,
                  .steps_of_execution = 10,
                  .steps_of_update = 1,
                  .micro_batch = 8,
                  .validates = validates_,
                  .metrics = names_});
  }

  /// The epoch with these numbers; it is validated if a loss of that is given.
  static epoch_record record(std::int32_t epoch, double loss, double accuracy,
                             std::initializer_list<double> validation = {}) {
    epoch_record made;
    made.epoch = epoch;
    made.loss = loss;
    made.metrics.add("accuracy", accuracy);
    made.samples = 80;
    made.seconds = 0.5;
    for (const double found : validation) {
      made.validation.loss = found;
      made.validation.samples = 16;
    }
    if (validation.size() > 0) {
      made.validation.metrics.add("accuracy", 0.5);
    }
    return made;
  }

  still_engine engine;
  learning_rate_schedule rate = 0.5F;
  training_run run{engine, &rate};

 private:
  std::int32_t epochs_;
  bool validates_;
  static constexpr std::array<std::string_view, 1> names_ = {"accuracy"};
};

}  // namespace ipu_dsl::tests
