// SPDX-License-Identifier: MIT
// A session without its model's type: everything that need not be compiled once a model.
// Over 300 lines: the one engine, its functions as its interface has them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/runtime/executor.hpp>
#include <ipu_dsl/runtime/host_clock.hpp>
#include <ipu_dsl/training/checked_feed.hpp>
#include <ipu_dsl/training/counted_feed.hpp>
#include <ipu_dsl/training/fit_rules.hpp>
#include <ipu_dsl/training/gradient_sums.hpp>
#include <ipu_dsl/training/progress_count.hpp>
#include <ipu_dsl/training/result_sums.hpp>
#include <ipu_dsl/training/run_numbers.hpp>
#include <ipu_dsl/training/session_engine.hpp>
#include <ipu_dsl/training/session_resources.hpp>
#include <ipu_dsl/training/session_turn.hpp>
#include <ipu_dsl/training/spare_sample.hpp>
#include <ipu_dsl/training/step_rules.hpp>
#include <ipu_dsl/training/training_course.hpp>
#include <ipu_dsl/training/training_run.hpp>
#include <ipu_dsl/training/update_losses.hpp>

namespace ipu_dsl {

/// The only engine: owns the memory, the workers and the executors of a compiled model.
class session_core final : public session_engine {
 public:
  [[gnu::cold]] session_core(const session_parts& parts, const session_options& options)
      : parts_(parts),
        options_(options),
        memory_(plans_of(parts), parts.settings.replicas),
        workers_(
            worker_count(options, parts.settings.replicas * parts.predict.plan.actions.devices),
            options.pinned),
        parameters_(parts.places, memory_),
        kept_(parts.kept, memory_),
        gradient_sums_(parts.gradients, memory_, parts.settings.replicas),
        gradients_(gradient_sums_.first_uses(), memory_),
        predict_(parts.predict.plan, parts.predict.functions(), memory_, workers_, 1,
                 options.shared_from),
        values_(parts_.model),
        losses_(parts_, memory_),
        sums_(parts.results, parts.settings.micro_batch),
        evaluated_(parts.results, parts.settings.micro_batch),
        spare_(parts.model) {
    if (parts.settings.has_loss) {
      train_.emplace(parts.train.plan, parts.train.functions(), memory_, workers_,
                     parts.settings.replicas, options.shared_from);
      evaluate_.emplace(parts.evaluate.plan, parts.evaluate.functions(), memory_, workers_, 1,
                        options.shared_from);
      train_->poison_freed_slots(options.poison_freed_slots);
      evaluate_->poison_freed_slots(options.poison_freed_slots);
    }
    predict_.poison_freed_slots(options.poison_freed_slots);
    if (options.trace && train_) {
      train_->enable_trace();
    }
    valid_.resize((std::max)(parts.settings.micro_batches_of_update(),
                             parts.predict.plan.actions.micro_batches));
    history_.set_numbers_of_epoch(sums_.reported());
    history_.reserve(options.history_epochs, options.history_micro_batches);
    parameters_.initialize(options.seed);
  }

  [[gnu::cold]] const history& fit(const fit_request& wanted) override {
    const session_turn whole(fitting_, "fit");
    require_idle(work_, "fit");  // refused in the midst of an evaluation too
    require_weights("fit");
    require_whole_update("fit");
    const epoch_steps steps =
        steps_of_epoch(parts_.model, parts_.settings, wanted.source, wanted.wanted);
    check_validation(parts_.model, parts_.settings, wanted);
    const course_scope scope(course_);
    course_.begin(wanted, steps, parts_.settings, sums_);
    losses_.expect(course_.left(wanted.wanted.epochs));
    history_.reserve(1, static_cast<std::size_t>(steps.steps));
    history_.clear();
    const metric_values reported = sums_.metrics().seen();
    tell_plan(wanted, course_.place().epoch, steps, parts_.settings, reported.names());
    try {
      wanted.callbacks.call(hook::train_begin);
      course_.set_out();
      train_epochs(wanted, steps);
      wanted.callbacks.call(hook::train_end);
    } catch (...) {
      course_.end();
      wanted.callbacks.call(hook::train_failed);
      throw;
    }
    return history_;
  }

  double train_step(feed_reference source, const optimizer_reference& optimizer) override {
    return train_once(source, optimizer, run_part::whole);
  }

  double compute_gradients(feed_reference source, const optimizer_reference& optimizer) override {
    return train_once(source, optimizer, run_part::gradients);
  }

  void apply_gradients(const optimizer_reference& optimizer) override {
    const own_update_turn turn(fitting_, work_, "apply_gradients");
    if (!has_gradients_) {
      refuse_missing_gradients();
    }
    const run_context context = context_of_update(optimizer);
    has_gradients_ = false;
    train_->run(context, run_part::update);
    progress_.count_update();
  }

  parameters& gradients() override { return gradients_; }

  [[gnu::cold]] evaluation evaluate(feed_reference source,
                                    const callback_list& callbacks) override {
    check_feed(parts_.model, parts_.settings, source);
    require_end(source, "evaluate");
    evaluation found = evaluate_pass(source, callbacks);
    // The numbers of metrics of several lie in this session.
    const metric_values seen = found.metrics.seen();
    found.metrics = seen;
    return found;
  }

  [[gnu::cold]] std::int64_t predict(feed_reference source, list_view<std::span<float>> outputs,
                                     const callback_list& callbacks) override {
    check_sources(parts_.model, source, false);
    require_end(source, "predict");
    const std::int64_t samples = *source.length();
    check_room(parts_.model, samples, outputs);
    float* rows[most_outputs] = {};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      rows[i] = outputs[i].data();
    }
    const session_turn turn(work_, "predict");
    source.restart();
    checked_feed pass = checked_feed::of_pass(source);
    feed_reference checked(pass);
    run_context context = context_of_run(&checked);
    context.outputs = rows;
    callbacks.call(hook::predict_begin);
    for (std::int64_t done = 0; done < samples;) {
      callbacks.call(hook::predict_batch_begin, &done);
      context.first_sample = static_cast<std::uint64_t>(done);
      predict_.run(context);
      done = (std::min)(samples, done + samples_of(predict_.plan().actions.micro_batches));
      callbacks.call(hook::predict_batch_end, &done);
    }
    callbacks.call(hook::predict_end);
    spare_.require_end(source, false);
    return samples;
  }

  [[gnu::cold]] std::int64_t hand_out(feed_reference source, std::int64_t micro_batches,
                                      output_listener& to) override {
    check_sources(parts_.model, source, false);
    check_handed_out(micro_batches);
    to.expect_outputs(micro_batches);
    const session_turn turn(work_, "hand out outputs");
    counted_feed counted(source, micro_batches);
    feed_reference next(counted);
    run_context context = context_of_run(&next);
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

  void listen(run_listener* heard_by) override { losses_.listen(heard_by); }

  void check_batch(list_view<std::int64_t> extents, std::size_t values) const override {
    ipu_dsl::check_batch(parts_.model, extents, values);
  }

  void set_value(std::int32_t number, float value) override { values_.set(number, value); }

  float value(std::int32_t number) const override { return values_.get(number); }

  parameters& weights() override { return parameters_; }

  training_identity identity() const override { return parts_.identity; }

  parameters& kept() override { return kept_; }

  [[gnu::cold]] void use_averages(bool averages) override {
    if (averages) {
      const session_turn turn(work_, "use its averages");
      require_weights("averaged_weights");
      if (progress().updates == 0) {
        raise_error("There are no moving averages of the weights before the first update.");
      }
    }
    parameters_.exchange(kept_, average_slot);
    averaged_ = averages;
  }

  void require_weights(const char* wanted) const override {
    if (averaged_) {
      raise_error({"The weights are their moving averages, so that ", wanted,
                   " has to wait until the scope of averaged_weights ends."});
    }
  }

  void require_whole_update(const char* wanted) const override {
    if (has_gradients_) {
      refuse_unapplied_gradients(wanted);
    }
  }

  void require_loadable(const char* wanted) const override {
    require_weights(wanted);
    require_idle(work_, wanted);
    course_.require_beginning(wanted);
  }

  training_progress progress() const override { return progress_.reached(); }

  metric_values metrics_of_epoch() override { return sums_.metrics(); }

  void go_on_from(const training_progress& reached) override {
    progress_.go_on_from(reached);
    has_gradients_ = false;
  }

  bool tell_place(training_place& found) const override { return course_.tell(found, sums_); }

  void go_on_at(training_place found) override { course_.load(std::move(found), sums_); }

  list_view<run_value_interface> run_values() const override { return parts_.model.run_values(); }

  [[gnu::cold]] const trace& last_trace() const override {
    if (!train_) {
      raise_error("A model that was compiled without a loss has no training run to trace.");
    }
    return train_->last_trace();
  }

  std::uint64_t seed() const override { return options_.seed; }

  std::size_t bytes() const override { return memory_.bytes(); }

 private:
  std::int64_t samples_of(int micro_batches) const {
    return std::int64_t{micro_batches} * parts_.settings.micro_batch;
  }

  int micro_batches_of_update() const { return parts_.settings.micro_batches_of_update(); }

  run_context context_of_run(feed_reference* source = nullptr) {
    run_context context;
    context.feed = source;
    context.values = values_.all();
    context.micro_batch_size = static_cast<std::uint32_t>(parts_.settings.micro_batch);
    context.seed = options_.seed;
    context.valid = valid_.data();
    return context;
  }

  /// One update, or what comes before it, from exactly its samples. Returns their mean loss.
  double train_once(feed_reference source, const optimizer_reference& optimizer, run_part part) {
    check_feed(parts_.model, parts_.settings, source);
    check_samples_of_update(source, samples_of(micro_batches_of_update()));
    const own_update_turn turn(fitting_, work_,
                               part == run_part::whole ? "train_step" : "compute_gradients");
    if (part == run_part::whole) {
      require_whole_update("train_step");
    }
    course_.forget();
    losses_.expect(micro_batches_of_update());
    run_training(source, optimizer, part);
    return losses_.take() / micro_batches_of_update();
  }

  void run_training(feed_reference& source, const optimizer_reference& optimizer,
                    run_part part = run_part::whole) {
    checked_feed full = checked_feed::of_training(source);
    feed_reference checked(full);
    run_context context = context_of_update(optimizer);
    context.feed = &checked;
    has_gradients_ = false;
    train_->run(context, part);
    progress_.count_samples(samples_of(micro_batches_of_update()));
    if (part == run_part::whole) {
      progress_.count_update();
    } else {
      gradient_sums_.complete();
      has_gradients_ = true;
    }
  }

  /// Of the next update.
  run_context context_of_update(const optimizer_reference& optimizer) {
    require_weights("training");
    run_context context = context_of_run();
    context.training = true;
    context.outputs = losses_.rows_of_listener();
    context.first_handed_out = progress().samples;
    context.loss_scale = losses_.scale();
    optimizer.write(progress().updates + 1, numbers_);
    context.optimizer = numbers_;
    context.first_sample = progress().samples;
    // The sum of gradients is that of so many mean losses, each with its penalty.
    context.penalty_scale =
        parts_.settings.mean_gradients ? 1.0F : static_cast<float>(micro_batches_of_update());
    losses_.begin();
    return context;
  }

  [[gnu::cold]] void train_epochs(const fit_request& wanted, const epoch_steps& steps) {
    feed_reference source = wanted.source;
    for (std::int32_t epoch = course_.place().epoch;
         epoch < wanted.wanted.epochs && !wanted.callbacks.stopped(); ++epoch) {
      history_.reserve_epoch(static_cast<std::size_t>(steps.steps));
      if (wanted.wanted.steps_per_epoch == 0 && !course_.place().begun) {
        source.restart();
      }
      course_.begin_epoch(sums_);
      wanted.callbacks.call(hook::epoch_begin, &epoch);
      history_.add_epoch(train_epoch(source, epoch, steps, wanted));
      if (wanted.wanted.steps_per_epoch == 0 && !wanted.callbacks.stopped() &&
          source.length() == steps.steps * samples_of(1)) {
        spare_.require_end(source, true);
      }
      if (wanted.validation != nullptr && (epoch + 1) % wanted.wanted.validation_frequency == 0) {
        history_.add_validation(evaluate_pass(*wanted.validation, wanted.callbacks));
      }
      course_.end_of_epoch(epoch + 1);
      wanted.callbacks.call(hook::epoch_end, &history_.epochs().back());
    }
  }

  [[gnu::cold]] epoch_record train_epoch(feed_reference& source, std::int32_t epoch,
                                         const epoch_steps& steps, const fit_request& wanted) {
    const callback_list& callbacks = wanted.callbacks;
    const std::int64_t begin = steady_nanoseconds();
    epoch_record record;
    record.epoch = epoch;
    record.validated_every = wanted.validation == nullptr ? 0 : wanted.wanted.validation_frequency;
    record.loss = course_.place().loss;
    execution_record execution;
    execution.epoch = epoch;
    execution.steps = course_.place().steps;
    while (execution.steps < steps.steps) {
      callbacks.call(hook::train_batch_begin, &execution);
      const double before = record.loss;
      const std::int64_t done = execution.steps;
      do {
        train_update(source, wanted, execution, record);
      } while (execution.steps % steps.of_execution != 0);
      execution.loss = (record.loss - before) / static_cast<double>(execution.steps - done);
      // Metrics are made of what was counted for those alone who hear of them.
      if (callbacks.hears(hook::train_batch_end)) {
        execution.metrics = sums_.metrics();
        callbacks.call(hook::train_batch_end, &execution);
      }
      if (callbacks.stopped()) {
        break;
      }
    }
    record.samples = execution.steps * parts_.settings.micro_batch;
    record.loss /= static_cast<double>(execution.steps);
    record.metrics = sums_.metrics();
    record.seconds = static_cast<double>(steady_nanoseconds() - begin) * 1e-9;
    return record;
  }

  /// One update of an epoch, whose losses are added up in its record.
  void train_update(feed_reference& source, const fit_request& wanted, execution_record& execution,
                    epoch_record& record) {
    const double loss = run_update(source, wanted.optimizer);
    record.loss += loss;
    execution.steps += micro_batches_of_update();
    execution.loss = loss / micro_batches_of_update();
    execution.epoch_loss = record.loss / static_cast<double>(execution.steps);
    course_.note(execution.steps, record.loss);
    wanted.callbacks.call(hook::update_end, &execution);
  }

  /// The sum of the losses of its micro-batches.
  double run_update(feed_reference& source, const optimizer_reference& optimizer) {
    const session_turn turn(work_, "fit");
    run_training(source, optimizer);
    count_results();
    return note_losses();
  }

  /// What `evaluate` does with checked data. Metrics of several numbers last until the next pass.
  [[gnu::cold, gnu::noinline]] evaluation evaluate_pass(feed_reference& source,
                                                        const callback_list& callbacks) {
    const session_turn turn(work_, "evaluate");
    source.restart();
    checked_feed pass = checked_feed::of_pass(source);
    feed_reference checked(pass);
    run_context context = context_of_run(&checked);
    context.loss_scale = 1;
    evaluation found;
    evaluated_.clear();
    callbacks.call(hook::test_begin);
    const std::int64_t at_once = samples_of(evaluate_->plan().actions.micro_batches);
    for (std::int64_t left = *source.length(); left > 0; left -= at_once) {
      callbacks.call(hook::test_batch_begin, &found.samples);
      evaluate_->run(context);
      found.samples += count_evaluated();
      report_evaluation(hook::test_batch_end, callbacks, found);
    }
    spare_.require_end(source, true);
    if (found.samples == 0) {
      raise_error("evaluate got no samples; expected at least 1.");
    }
    take_evaluated(found);
    callbacks.call(hook::test_end, &found);
    return found;
  }

  /// Adds what the micro-batches of a run of the evaluation counted; returns their samples.
  std::int64_t count_evaluated() {
    std::int64_t samples = 0;
    for (int i = 0; i < evaluate_->plan().actions.micro_batches; ++i) {
      samples += valid_[i];
      if (valid_[i] > 0) {
        evaluated_.add(memory_, parts_.evaluate.results, i, 1);
      }
    }
    return samples;
  }

  /// What the samples so far come to.
  [[gnu::cold]] void take_evaluated(evaluation& found) {
    found.loss = evaluated_.loss() + losses_.penalty();
    found.metrics = evaluated_.metrics();
  }

  void report_evaluation(hook when, const callback_list& callbacks, evaluation& found) {
    if (callbacks.hears(when)) {
      take_evaluated(found);
      callbacks.call(when, &found);
    }
  }

  /// Writes the losses of the micro-batches of an update into the history; returns their sum.
  double note_losses() {
    const double sum = losses_.take();
    for (const float loss : losses_.all()) {
      history_.add_loss(loss);
    }
    return sum;
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
  gradient_sums gradient_sums_;
  parameters gradients_;
  executor predict_;
  std::optional<executor> train_;
  std::optional<executor> evaluate_;
  run_numbers values_;
  list<std::int32_t> valid_;
  update_losses losses_;
  result_sums sums_;       ///< of the epoch
  result_sums evaluated_;  ///< of the evaluation, in the midst of an epoch perhaps
  spare_sample spare_;
  training_course course_;
  history history_;
  progress_count progress_;
  bool has_gradients_ = false;                  ///< computed, and not yet applied
  bool averaged_ = false;                       ///< the weights are exchanged with their averages
  float numbers_[most_optimizer_numbers] = {};  ///< of the optimizer, for the update at hand
  session_work fitting_{nullptr};               ///< a `fit`, its callbacks included
  session_work work_{nullptr};  ///< a run of a program: an update of it, an evaluation
};

}  // namespace ipu_dsl
