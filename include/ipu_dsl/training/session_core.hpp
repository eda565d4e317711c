// SPDX-License-Identifier: MIT
// A session without its model's type: everything that need not be compiled once a model.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/runtime/executor.hpp>
#include <ipu_dsl/training/history.hpp>
#include <ipu_dsl/training/parameters.hpp>

namespace ipu_dsl {

/// How a session runs. Nothing here changes a result except the seed.
struct session_options {
  int threads = 1;                    ///< at most one a device is used
  std::uint64_t seed = 1;             ///< of initial weights and dropout
  bool poison_freed_slots = false;    ///< fills slots with NaN when nothing may read them any more
  bool trace = false;                 ///< keeps what the last run did
  std::size_t history_epochs = 1024;  ///< reserved, so that `fit` takes no memory
  std::size_t history_micro_batches = 65'536;
};

/// How long to train. Steps are micro-batches, as in the reference.
struct fit_options {
  std::int32_t epochs = 1;
  std::int64_t steps_per_epoch = 0;      ///< 0: as many as one pass over the data has
  std::int64_t steps_per_execution = 0;  ///< 0: an epoch
};

/// What `evaluate` found: means over all samples.
struct evaluation {
  double loss = 0;
  double accuracy = 0;
  std::int64_t samples = 0;
};

/// A program with its code.
struct loaded_program {
  program_plan_view plan;
  std::span<const kernel_function> functions;
};

/// What a session is made of. `train` and `evaluate` are empty plans without a loss.
struct session_parts {
  graph_view model;
  compile_settings settings;
  std::span<const parameter_place> places;
  loaded_program train;
  loaded_program evaluate;
  loaded_program predict;
};

/// Called after every epoch, on the calling thread.
struct epoch_callback {
  void (*call)(void* object, const epoch_record& record) = nullptr;
  void* object = nullptr;
};

/// Owns the memory, the workers and the executors of a compiled model.
class session_core {
 public:
  session_core(const session_parts& parts, const session_options& options)
      : parts_(parts),
        options_(options),
        memory_(plans(parts)),
        workers_(std::min(options.threads, parts.predict.plan.actions.devices)),
        parameters_(parts.model, parts.places, memory_),
        predict_(parts.predict.plan, parts.predict.functions, memory_, workers_) {
    if (options.threads < 1) {
      throw error("A session needs at least 1 thread, got " + std::to_string(options.threads) +
                  ".");
    }
    if (parts.settings.loss != nullptr) {
      train_.emplace(parts.train.plan, parts.train.functions, memory_, workers_);
      evaluate_.emplace(parts.evaluate.plan, parts.evaluate.functions, memory_, workers_);
      train_->poison_freed_slots(options.poison_freed_slots);
      evaluate_->poison_freed_slots(options.poison_freed_slots);
    }
    predict_.poison_freed_slots(options.poison_freed_slots);
    if (options.trace && train_) {
      train_->enable_trace();
    }
    const int most =
        std::max(parts.train.plan.actions.micro_batches, parts.predict.plan.actions.micro_batches);
    valid_.resize(static_cast<std::size_t>(most));
    losses_.resize(static_cast<std::size_t>(most));
    hits_.resize(static_cast<std::size_t>(most));
    history_.reserve(options.history_epochs, options.history_micro_batches);
    parameters_.initialize(options.seed);
  }

  session_core(const session_core&) = delete;
  session_core& operator=(const session_core&) = delete;

  const history& fit(feed_reference source, const fit_options& wanted,
                     std::span<const float> optimizer, epoch_callback done) {
    const std::int64_t steps = check_fit(source, wanted);
    history_.clear();
    history_.reserve(static_cast<std::size_t>(wanted.epochs),
                     static_cast<std::size_t>(wanted.epochs * steps));
    for (std::int32_t epoch = 0; epoch < wanted.epochs; ++epoch) {
      const epoch_record record = train_epoch(source, epoch, steps, optimizer);
      history_.add_epoch(record);
      if (done.call != nullptr) {
        done.call(done.object, record);
      }
    }
    return history_;
  }

  /// One update from exactly the samples of one run. Returns their mean loss.
  double train_step(feed_reference source, std::span<const float> optimizer) {
    check_feed(source);
    const std::int64_t wanted =
        std::int64_t{micro_batches_of_update()} * parts_.settings.micro_batch;
    if (source.length() != wanted) {
      throw error("An update takes " + std::to_string(wanted) + " samples, got " +
                  std::to_string(source.length().value_or(-1)) + ".");
    }
    run_training(source, optimizer);
    double sum = 0;
    for (int i = 0; i < micro_batches_of_update(); ++i) {
      sum += losses_[static_cast<std::size_t>(i)] * loss_factor();
    }
    return sum / micro_batches_of_update();
  }

  /// Mean loss and accuracy over all samples of the feed; any number of them, the last micro-batch
  /// may be short.
  evaluation evaluate(feed_reference source) {
    check_feed(source);
    require_end(source, "evaluate");
    source.restart();
    evaluation sum;
    double hits = 0;
    run_context context = context_for(source);
    context.loss_scale = 1;
    for (std::int64_t given = -1; given != sum.samples;) {
      given = sum.samples;
      evaluate_->run(context);
      for (int i = 0; i < evaluate_->plan().actions.micro_batches; ++i) {
        const auto index = static_cast<std::size_t>(i);
        if (valid_[index] > 0) {
          sum.samples += valid_[index];
          sum.loss += losses_[index];
          hits += hits_[index];
        }
      }
    }
    if (sum.samples == 0) {
      throw error("evaluate got no samples; expected at least 1.");
    }
    sum.loss /= static_cast<double>(sum.samples);
    sum.accuracy = hits / static_cast<double>(sum.samples);
    return sum;
  }

  /// The model's output for every sample of the feed, in order; returns how many there were.
  /// Throws `error` before anything is written if `output` is not [samples, output elements].
  std::int64_t predict(feed_reference source, std::span<float> output) {
    check_sample(source);
    require_end(source, "predict");
    const std::int64_t elements = parts_.model.at(parts_.model.output).extents.elements();
    if (*source.length() * elements != static_cast<std::int64_t>(output.size())) {
      throw error("predict of " + std::to_string(*source.length()) + " samples writes " +
                  std::to_string(*source.length() * elements) + " values, got room for " +
                  std::to_string(output.size()) + ".");
    }
    source.restart();
    run_context context = context_for(source);
    context.output = output.data();
    std::int64_t samples = 0;
    for (std::int64_t given = -1; given != samples;) {
      given = samples;
      context.first_sample = static_cast<std::uint64_t>(samples);
      predict_.run(context);
      for (int i = 0; i < predict_.plan().actions.micro_batches; ++i) {
        samples += valid_[static_cast<std::size_t>(i)];
      }
    }
    return samples;
  }

  /// Throws `error` unless the extents are [samples, extents of the input...] and count the values.
  void check_batch(std::span<const std::int64_t> extents, std::size_t values) const {
    const shape& wanted = parts_.model.at(parts_.model.input).extents;
    std::int64_t product = extents[0];
    for (std::int32_t axis = 0; axis < wanted.rank; ++axis) {
      const std::int64_t given = extents[static_cast<std::size_t>(axis) + 1];
      if (given != wanted[axis]) {
        throw error("A sample of the model's input is " + std::string(describe(wanted).view()) +
                    ", axis " + std::to_string(axis + 1) + " of the batch has " +
                    std::to_string(given) + " instead of " + std::to_string(wanted[axis]) + ".");
      }
      product *= given;
    }
    if (product != static_cast<std::int64_t>(values)) {
      throw error("A batch of " + std::to_string(extents[0]) + " samples has " +
                  std::to_string(product) + " values, got " + std::to_string(values) + ".");
    }
  }

  const session_options& options() const { return options_; }

  parameters& weights() { return parameters_; }

  const parameters& weights() const { return parameters_; }

  const trace& last_trace() const { return train_->last_trace(); }

  std::size_t bytes() const { return memory_.bytes(); }

 private:
  static std::vector<program_plan_view> plans(const session_parts& parts) {
    std::vector<program_plan_view> all{parts.predict.plan};
    if (parts.settings.loss != nullptr) {
      all.push_back(parts.train.plan);
      all.push_back(parts.evaluate.plan);
    }
    return all;
  }

  int micro_batches_of_update() const { return parts_.settings.gradient_accumulation; }

  /// The kernels scale losses as they scale gradients; with the mean over the accumulated
  /// micro-batches that is less than the mean over one.
  double loss_factor() const {
    return parts_.settings.mean_gradients ? micro_batches_of_update() : 1;
  }

  float loss_scale() const {
    const int samples = parts_.settings.micro_batch *
                        (parts_.settings.mean_gradients ? micro_batches_of_update() : 1);
    return 1.0F / static_cast<float>(samples);
  }

  run_context context_for(feed_reference& source) {
    run_context context;
    context.micro_batch_size = static_cast<std::uint32_t>(parts_.settings.micro_batch);
    context.seed = options_.seed;
    context.feed = &source;
    context.valid = valid_.data();
    context.loss = losses_.data();
    context.hits = hits_.data();
    return context;
  }

  void run_training(feed_reference& source, std::span<const float> optimizer) {
    full_micro_batches full{&source};
    feed_reference checked(full);
    run_context context = context_for(checked);
    context.training = true;
    context.loss_scale = loss_scale();
    context.optimizer = optimizer.data();
    context.first_sample = trained_samples_;
    train_->run(context);
    trained_samples_ += static_cast<std::uint64_t>(micro_batches_of_update()) *
                        static_cast<std::uint64_t>(parts_.settings.micro_batch);
  }

  epoch_record train_epoch(feed_reference& source, std::int32_t epoch, std::int64_t steps,
                           std::span<const float> optimizer) {
    const auto begin = std::chrono::steady_clock::now();
    epoch_record record{.epoch = epoch};
    double hits = 0;
    for (std::int64_t step = 0; step < steps; step += micro_batches_of_update()) {
      run_training(source, optimizer);
      for (int i = 0; i < micro_batches_of_update(); ++i) {
        const auto index = static_cast<std::size_t>(i);
        const double loss = losses_[index] * loss_factor();
        history_.add_loss(static_cast<float>(loss));
        record.loss += loss;
        hits += hits_[index];
      }
    }
    record.samples = steps * parts_.settings.micro_batch;
    record.loss /= static_cast<double>(steps);
    record.accuracy = hits / static_cast<double>(record.samples);
    record.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return record;
  }

  /// Refuses what a training run cannot use, before it changes anything it should not: a
  /// micro-batch that is not full ends the run before the update.
  struct full_micro_batches {
    feed_reference* source;

    std::int32_t next(const micro_batch_rows& rows) {
      const std::int32_t valid = source->next(rows);
      if (valid != rows.micro_batch) {
        throw error("The data ran out while training: a micro-batch has " +
                    std::to_string(rows.micro_batch) + " samples, got " + std::to_string(valid) +
                    ". Repeat the data or ask for fewer steps.");
      }
      return valid;
    }

    void restart() { source->restart(); }

    std::int64_t sample_elements() const { return source->sample_elements(); }

    std::int32_t classes() const { return source->classes(); }

    std::optional<std::int64_t> length() const { return source->length(); }
  };

  void check_sample(const feed_reference& source) const {
    const shape& wanted = parts_.model.at(parts_.model.input).extents;
    if (source.sample_elements() != wanted.elements()) {
      throw error("A sample of the model's input " + std::string(describe(wanted).view()) +
                  " has " + std::to_string(wanted.elements()) + " values, the data's has " +
                  std::to_string(source.sample_elements()) + ".");
    }
  }

  void check_feed(const feed_reference& source) const {
    if (parts_.settings.loss == nullptr) {
      throw error("This model was compiled without a loss: it can predict, not train or evaluate.");
    }
    check_sample(source);
    const node& loss = parts_.model.node_at(parts_.model.loss);
    const shape& scores = parts_.model.at(parts_.model.input_of(loss, 0)).extents;
    if (source.classes() < 1 || source.classes() > scores.elements()) {
      throw error("The model scores " + std::to_string(scores.elements()) +
                  " classes, the labels of the data have " + std::to_string(source.classes()) +
                  ".");
    }
  }

  static void require_end(const feed_reference& source, const char* what) {
    if (!source.length()) {
      throw error(std::string(what) + " needs data with an end; these are repeated without one.");
    }
  }

  /// The rules of the reference for steps. Returns the steps of an epoch.
  std::int64_t check_fit(const feed_reference& source, const fit_options& wanted) const {
    check_feed(source);
    const std::int64_t accumulated = micro_batches_of_update();
    if (wanted.epochs < 1) {
      throw error("fit needs at least 1 epoch, got " + std::to_string(wanted.epochs) + ".");
    }
    std::int64_t steps = wanted.steps_per_epoch;
    if (steps == 0) {
      if (!source.length()) {
        throw error("Data without an end have no length of an epoch: say steps_per_epoch.");
      }
      steps = *source.length() / parts_.settings.micro_batch;
    }
    const std::int64_t execution =
        wanted.steps_per_execution == 0 ? steps : std::min(wanted.steps_per_execution, steps);
    if (steps < 1 || execution < 1 || steps % execution != 0) {
      throw error("An epoch of " + std::to_string(steps) +
                  " steps does not divide into executions of " + std::to_string(execution) +
                  " steps.");
    }
    if (execution % accumulated != 0) {
      const std::int64_t below = execution / accumulated * accumulated;
      throw error("An execution of " + std::to_string(execution) + " steps is no multiple of the " +
                  std::to_string(accumulated) +
                  " micro-batches that make an update (gradient_accumulation). Use " +
                  (below > 0 ? std::to_string(below) + " or " : std::string()) +
                  std::to_string(below + accumulated) + " steps.");
    }
    const std::int64_t needed = steps * wanted.epochs * parts_.settings.micro_batch;
    if (source.length() && *source.length() < needed) {
      throw error("The data have " + std::to_string(*source.length()) + " samples, " +
                  std::to_string(wanted.epochs) + " epochs of " + std::to_string(steps) +
                  " steps of " + std::to_string(parts_.settings.micro_batch) + " samples need " +
                  std::to_string(needed) + ". Repeat the data: data | repeated().");
    }
    return steps;
  }

  session_parts parts_;
  session_options options_;
  region_set memory_;
  worker_pool workers_;
  parameters parameters_;
  executor predict_;
  std::optional<executor> train_;
  std::optional<executor> evaluate_;
  std::vector<std::int32_t> valid_;
  std::vector<float> losses_;
  std::vector<std::int32_t> hits_;
  history history_;
  std::uint64_t trained_samples_ = 0;
};

}  // namespace ipu_dsl
