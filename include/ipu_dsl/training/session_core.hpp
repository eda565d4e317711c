// SPDX-License-Identifier: MIT
// A session without its model's type: everything that need not be compiled once a model.
// Over 300 lines: the one engine, its functions as its interface has them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include <ipu_dsl/core/checked.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/runtime/executor.hpp>
#include <ipu_dsl/runtime/host_clock.hpp>
#include <ipu_dsl/training/checked_feed.hpp>
#include <ipu_dsl/training/counted_feed.hpp>
#include <ipu_dsl/training/result_sums.hpp>
#include <ipu_dsl/training/session_engine.hpp>
#include <ipu_dsl/training/session_turn.hpp>
#include <ipu_dsl/training/spare_sample.hpp>
#include <ipu_dsl/training/step_rules.hpp>

namespace ipu_dsl {

/// The only engine: owns the memory, the workers and the executors of a compiled model.
class session_core final : public session_engine {
 public:
  session_core(const session_parts& parts, const session_options& options)
      : parts_(parts),
        options_(options),
        memory_(plans(parts), parts.settings.replicas),
        workers_(
            worker_count(options, parts.settings.replicas * parts.predict.plan.actions.devices),
            options.pinned),
        parameters_(parts.places, memory_),
        kept_(parts.kept, memory_),
        predict_(parts.predict.plan, parts.predict.functions, memory_, workers_),
        sums_(parts.results, parts.settings.micro_batch),
        spare_(parts.model) {
    if (parts.settings.has_loss) {
      train_.emplace(parts.train.plan, parts.train.functions, memory_, workers_,
                     parts.settings.replicas);
      evaluate_.emplace(parts.evaluate.plan, parts.evaluate.functions, memory_, workers_);
      train_->poison_freed_slots(options.poison_freed_slots);
      evaluate_->poison_freed_slots(options.poison_freed_slots);
    }
    predict_.poison_freed_slots(options.poison_freed_slots);
    if (options.trace && train_) {
      train_->enable_trace();
    }
    const int most = (std::max)(parts.settings.micro_batches_of_update(),
                                parts.predict.plan.actions.micro_batches);
    valid_.resize(most);
    losses_.resize(parts.settings.micro_batches_of_update());
    for (const run_value_interface& each : parts.model.run_values()) {
      values_.push_back(each.start);
    }
    history_.set_numbers_of_epoch(sums_.reported());
    history_.reserve(options.history_epochs, options.history_micro_batches);
    parameters_.initialize(options.seed);
  }

  const history& fit(feed_reference source, const fit_options& wanted,
                     const optimizer_reference& optimizer, const fit_callbacks& calls) override {
    const session_turn whole(fitting_, "fit");
    require_weights("fit");
    const epoch_steps steps = steps_of_epoch(parts_.model, parts_.settings, source, wanted);
    if (heard_by_ != nullptr) {
      heard_by_->expect_losses(steps.steps * wanted.epochs);
    }
    history_.reserve(1, static_cast<std::size_t>(steps.steps));
    history_.clear();
    for (std::int32_t epoch = 0; epoch < wanted.epochs; ++epoch) {
      history_.reserve_epoch(static_cast<std::size_t>(steps.steps));
      if (wanted.steps_per_epoch == 0) {
        source.restart();
      }
      history_.add_epoch(train_epoch(source, epoch, steps, optimizer, calls));
      if (wanted.steps_per_epoch == 0 && source.length() == steps.steps * samples_of(1)) {
        spare_.require_end(source, true);
      }
      if (calls.epoch != nullptr) {
        calls.epoch(calls.object, history_.epochs().back());
      }
    }
    return history_;
  }

  double train_step(feed_reference source, const optimizer_reference& optimizer) override {
    check_feed(parts_.model, parts_.settings, source);
    const std::int64_t wanted = samples_of(micro_batches_of_update());
    if (source.length() != wanted) {
      throw error(sentence_of(
          {"An update takes ", wanted, " samples, got ", source.length().value_or(-1), "."}));
    }
    const session_turn turn(work_, "train_step");
    if (heard_by_ != nullptr) {
      heard_by_->expect_losses(micro_batches_of_update());
    }
    run_training(source, optimizer);
    double sum = 0;
    for (int i = 0; i < micro_batches_of_update(); ++i) {
      const double loss = mean_loss(i);
      losses_[i] = static_cast<float>(loss);
      sum += loss;
    }
    tell_losses();
    return sum / micro_batches_of_update();
  }

  evaluation evaluate(feed_reference source) override {
    check_feed(parts_.model, parts_.settings, source);
    require_end(source, "evaluate");
    const session_turn turn(work_, "evaluate");
    source.restart();
    checked_feed pass = checked_feed::of_pass(source);
    feed_reference checked(pass);
    run_context context = context_for(checked);
    context.loss_scale = 1;
    const int micro_batches = evaluate_->plan().actions.micro_batches;
    evaluation found;
    sums_.clear();
    for (std::int64_t left = *source.length(); left > 0; left -= samples_of(micro_batches)) {
      evaluate_->run(context);
      for (int i = 0; i < micro_batches; ++i) {
        const std::int32_t valid = valid_[i];
        found.samples += valid;
        if (valid > 0) {
          sums_.add(memory_, parts_.evaluate.results, i, 1);
        }
      }
    }
    spare_.require_end(source, true);
    if (found.samples == 0) {
      throw error("evaluate got no samples; expected at least 1.");
    }
    found.loss = sums_.loss() + penalty();
    const metric_values seen = sums_.metrics();
    found.metrics = seen;
    return found;
  }

  std::int64_t predict(feed_reference source, list_view<std::span<float>> outputs) override {
    check_sources(parts_.model, source, false);
    require_end(source, "predict");
    const std::int64_t samples = *source.length();
    check_room(samples, outputs);
    float* rows[most_outputs] = {};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      rows[i] = outputs[i].data();
    }
    const session_turn turn(work_, "predict");
    source.restart();
    checked_feed pass = checked_feed::of_pass(source);
    feed_reference checked(pass);
    run_context context = context_for(checked);
    context.outputs = rows;
    for (std::int64_t done = 0; done < samples;) {
      context.first_sample = static_cast<std::uint64_t>(done);
      predict_.run(context);
      done += samples_of(predict_.plan().actions.micro_batches);
    }
    spare_.require_end(source, false);
    return samples;
  }

  std::int64_t hand_out(feed_reference source, std::int64_t micro_batches,
                        output_listener& to) override {
    check_sources(parts_.model, source, false);
    if (micro_batches < 0) {
      throw error(sentence_of(
          {"A session hands out 0 micro-batches or more, it was asked for ", micro_batches, "."}));
    }
    to.expect_outputs(micro_batches);
    const session_turn turn(work_, "hand out outputs");
    counted_feed counted(source, micro_batches);
    feed_reference next(counted);
    run_context context = context_for(next);
    context.outputs = to.rows().data();
    while (counted.left() > 0 && !counted.ended()) {
      predict_.run(context);
      for (std::int32_t i = 0; i < predict_.plan().actions.micro_batches; ++i) {
        if (valid_[i] > 0) {
          to.take_outputs(i, valid_[i]);
        }
      }
    }
    return micro_batches - counted.left();
  }

  void listen(run_listener* heard_by) override {
    if (heard_by != nullptr && heard_by_ != nullptr) {
      throw error("A session hands its losses to one outfeed, and has one already.");
    }
    heard_by_ = heard_by;
  }

  void check_batch(list_view<std::int64_t> extents, std::size_t values) const override {
    ipu_dsl::check_batch(parts_.model, extents, values);
  }

  void set_value(std::int32_t number, float value) override {
    if (is_non_finite(value)) {
      throw error(sentence_of({"The value ", parts_.model.values[number].name,
                               " of a run is a finite number, got an infinity or NaN."}));
    }
    values_[number] = value;
  }

  float value(std::int32_t number) const override { return values_[number]; }

  parameters& weights() override { return parameters_; }

  parameters& kept() override { return kept_; }

  void use_averages(bool averages) override {
    if (averages) {
      const session_turn turn(work_, "use its averages");
      require_weights("averaged_weights");
      if (updates_ == 0) {
        throw error("There are no moving averages of the weights before the first update.");
      }
    }
    parameters_.exchange(kept_, average_slot);
    averaged_ = averages;
  }

  void require_weights(const char* wanted) const override {
    if (averaged_) {
      throw error(sentence_of({"The weights are their moving averages, so that ", wanted,
                               " has to wait until the scope of averaged_weights ends."}));
    }
  }

  training_progress progress() const override { return {updates_, trained_samples_}; }

  void go_on_from(const training_progress& reached) override {
    updates_ = reached.updates;
    trained_samples_ = reached.samples;
  }

  const trace& last_trace() const override {
    if (!train_) {
      throw error("A model that was compiled without a loss has no training run to trace.");
    }
    return train_->last_trace();
  }

  std::uint64_t seed() const override { return options_.seed; }

  std::size_t bytes() const override { return memory_.bytes(); }

 private:
  static int worker_count(const session_options& options, int devices) {
    if (options.threads < 1) {
      throw error(sentence_of({"A session needs at least 1 thread, got ", options.threads, "."}));
    }
    if (options.threads > worker_pool::most_workers) {
      throw error(sentence_of({"A session has at most ", worker_pool::most_workers,
                               " threads, got ", options.threads, "."}));
    }
    return worker_teams(options.threads, devices).workers();
  }

  static list<program_plan_view> plans(const session_parts& parts) {
    list<program_plan_view> all{parts.predict.plan};
    if (parts.settings.has_loss) {
      all.push_back(parts.train.plan);
      all.push_back(parts.evaluate.plan);
    }
    return all;
  }

  /// Predictions of so many samples fill exactly the room that there is for them.
  void check_room(std::int64_t samples, list_view<std::span<float>> outputs) const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      check_room(samples, parts_.model.outputs[i], outputs[i].size());
    }
  }

  static void check_room(std::int64_t samples, const shape& output, std::size_t room) {
    const std::optional<std::int64_t> values = checked_product(samples, output.elements());
    if (!values) {
      throw error(sentence_of({"predict of ", samples, " samples ", describe(output),
                               " writes more values than 64 bits can count."}));
    }
    if (static_cast<std::size_t>(*values) != room) {
      throw error(sentence_of({"predict of ", samples, " samples writes ", *values,
                               " values, got room for ", room, "."}));
    }
  }

  std::int64_t samples_of(int micro_batches) const {
    return std::int64_t{micro_batches} * parts_.settings.micro_batch;
  }

  int micro_batches_of_update() const { return parts_.settings.micro_batches_of_update(); }

  /// The mean loss of a micro-batch's samples, which in training are as many as it can hold, with
  /// the factor by which gradients are scaled.
  double mean_loss(int micro_batch) const {
    const double of_update = parts_.settings.mean_gradients ? micro_batches_of_update() : 1;
    double sum = 0;
    for (std::size_t i = 0; i < parts_.results.size() && parts_.results[i].is_loss; ++i) {
      const double* const counted = result_sums::counted_in(memory_, parts_.train.results[i],
                                                            micro_batch, parts_.settings.replicas);
      sum += static_cast<double>(parts_.results[i].weight) * counted[0];
    }
    return of_update * (sum * static_cast<double>(loss_scale())) + penalty_;
  }

  /// What the parameters add to the loss, as they are.
  double penalty() const {
    double sum = 0;
    for (std::size_t i = 0; parts_.penalty != nullptr && i < parts_.places.size(); ++i) {
      const parameter_place& place = parts_.places[i];
      if (place.stored.rules != nullptr && place.stored.rules->penalizes()) {
        std::byte* const begin = memory_.at(place.region) + place.offset;
        sum += parts_.penalty({place.stored.lies, place.stored.extents}, *place.stored.rules,
                              reinterpret_cast<float*>(begin));
      }
    }
    return sum;
  }

  float loss_scale() const {
    const int samples = parts_.settings.micro_batch *
                        (parts_.settings.mean_gradients ? micro_batches_of_update() : 1);
    return 1.0F / static_cast<float>(samples);
  }

  /// Throws `error` if a value has yet to be given.
  void require_values() const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (is_non_finite(values_[i])) {
        throw error(sentence_of({"The model reads the value ", parts_.model.values[i].name,
                                 ", which has no default: give it before the first run, as set<\"",
                                 parts_.model.values[i].name, "\">(1.0F)."}));
      }
    }
  }

  run_context context_for(feed_reference& source) {
    require_values();
    run_context context;
    context.values = values_.data();
    context.micro_batch_size = static_cast<std::uint32_t>(parts_.settings.micro_batch);
    context.seed = options_.seed;
    context.feed = &source;
    context.valid = valid_.data();
    return context;
  }

  void run_training(feed_reference& source, const optimizer_reference& optimizer) {
    checked_feed full = checked_feed::of_training(source);
    feed_reference checked(full);
    require_weights("training");
    run_context context = context_for(checked);
    context.training = true;
    context.loss_scale = loss_scale();
    optimizer.write(updates_ + 1, numbers_);
    context.optimizer = numbers_;
    context.first_sample = trained_samples_;
    // The sum of gradients is that of so many mean losses, each with its penalty.
    context.penalty_scale =
        parts_.settings.mean_gradients ? 1.0F : static_cast<float>(micro_batches_of_update());
    penalty_ = penalty();
    train_->run(context);
    ++updates_;
    trained_samples_ += static_cast<std::uint64_t>(samples_of(micro_batches_of_update()));
  }

  epoch_record train_epoch(feed_reference& source, std::int32_t epoch, const epoch_steps& steps,
                           const optimizer_reference& optimizer, const fit_callbacks& calls) {
    const std::int64_t begin = steady_nanoseconds();
    epoch_record record;
    record.epoch = epoch;
    sums_.clear();
    for (std::int64_t step = 0; step < steps.steps; step += steps.of_execution) {
      execution_record execution{.epoch = epoch, .steps = step + steps.of_execution};
      for (std::int64_t i = 0; i < steps.of_execution; i += micro_batches_of_update()) {
        const session_turn turn(work_, "fit");
        run_training(source, optimizer);
        execution.loss += note_losses();
        count_results();
      }
      record.loss += execution.loss;
      execution.loss /= static_cast<double>(steps.of_execution);
      if (calls.execution != nullptr) {
        calls.execution(calls.object, execution);
      }
    }
    record.samples = steps.steps * parts_.settings.micro_batch;
    record.loss /= static_cast<double>(steps.steps);
    record.metrics = sums_.metrics();
    record.seconds = static_cast<double>(steady_nanoseconds() - begin) * 1e-9;
    return record;
  }

  /// Writes the losses of the micro-batches of an update into the history; returns their sum.
  double note_losses() {
    double sum = 0;
    for (int i = 0; i < micro_batches_of_update(); ++i) {
      const double loss = mean_loss(i);
      losses_[i] = static_cast<float>(loss);
      history_.add_loss(losses_[i]);
      sum += loss;
    }
    tell_losses();
    return sum;
  }

  /// Those of the micro-batches of the last update, to whoever wants them.
  void tell_losses() {
    if (heard_by_ != nullptr) {
      heard_by_->take_losses({losses_.data(), losses_.size()});
    }
  }

  /// Adds what the micro-batches of an update counted.
  void count_results() {
    for (int i = 0; i < micro_batches_of_update(); ++i) {
      sums_.add(memory_, parts_.train.results, i, parts_.settings.replicas);
    }
  }

  session_parts parts_;
  session_options options_;
  region_set memory_;
  worker_pool workers_;
  parameters parameters_;
  parameters kept_;
  executor predict_;
  std::optional<executor> train_;
  std::optional<executor> evaluate_;
  list<float> values_;  ///< of the run, by number
  list<std::int32_t> valid_;
  list<float> losses_;                ///< of the micro-batches of the last update
  run_listener* heard_by_ = nullptr;  ///< of what training finds
  result_sums sums_;                  ///< of the epoch, or of the evaluation
  spare_sample spare_;
  history history_;
  std::uint64_t trained_samples_ = 0;
  std::uint64_t updates_ = 0;
  bool averaged_ = false;                       ///< the weights are exchanged with their averages
  double penalty_ = 0;                          ///< of the weights, before the update at hand
  float numbers_[most_optimizer_numbers] = {};  ///< of the optimizer, for the update at hand
  session_work fitting_{nullptr};               ///< a `fit`, its callbacks included
  session_work work_{nullptr};  ///< a run of a program: an update of it, an evaluation
};

}  // namespace ipu_dsl
