// SPDX-License-Identifier: MIT
// What a session does: fit, evaluate, predict. Its code may be compiled elsewhere.
// Over 300 lines: a session's calls, half of it what they promise.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed_fault.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/data/tensor_view.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/plan/run_values.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/training/array_calls.hpp>
#include <ipu_dsl/training/call_checks.hpp>
#include <ipu_dsl/training/model_arrays.hpp>
#include <ipu_dsl/training/session_code.hpp>
#include <ipu_dsl/training/session_faults.hpp>
#include <ipu_dsl/training/session_refusal.hpp>
#include <ipu_dsl/training/session_source.hpp>
#include <ipu_dsl/training/training_run.hpp>
#include <ipu_dsl/training/update_hook.hpp>
#include <ipu_dsl/training/validation_data.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What a session of a compiled model does; `session` says how it is made.
template <typename Compiled, bool Valid>
class session_of : public array_calls<session_of<Compiled, Valid>, typename Compiled::compiled> {
  using compiled = typename Compiled::compiled;
  using of_arrays = array_calls<session_of, compiled>;

 public:
  using code = session_code<Compiled>;
  using settings = typename code::settings;

  session_of(engine_owner made, const settings& optimizer) : engine_(std::move(made)) {
    set_optimizer(optimizer);
    code::start_optimizer(engine(), optimizer_);
  }

  /// Refused with a sentence: a momentum that the optimizer has not, a rate by another name.
  void set_optimizer(const foreign_settings<settings>&) {
    refuse_settings<Compiled, momentum_fault_of>();
  }

  template <typename = void>
  void set_optimizer(const settings_elsewhere&) {
    refuse_session<Compiled, optimizer_names_fault_of>();
  }

  template <typename Number>
    requires std::is_arithmetic_v<Number>
  void set_optimizer(Number) {
    refuse_session<Compiled, optimizer_number_fault_of>();
  }

  /// New numbers for the optimizer, from the next update on; in a callback of `fit` as well. Throws
  /// `error` if they are none that it can use; nothing is changed then.
  void set_optimizer(const settings& optimizer) {
    code::check_optimizer(optimizer);
    static_cast<void>(engine());  // which refuses who asks while training goes on
    optimizer_ = optimizer;
  }

  /// Gives the model's `build.value("temperature")` another number, from the next run on:
  /// `run.set<"temperature">(0.5F)`; in a callback of `fit` as well. It is no weight: files do not
  /// keep it. Throws `error` if it is no finite number.
  template <fixed_string Name>
  void set(float value) {
    if constexpr (diagnose<run_value_fault_of<compiled, Name>>()) {
      engine().set_value(run_value_number<compiled, Name>, value);
    }
  }

  /// The number that it has; NaN where none was given yet.
  template <fixed_string Name>
  float get() const {
    if constexpr (diagnose<run_value_fault_of<compiled, Name>>()) {
      return engine().value(run_value_number<compiled, Name>);
    }
    return 0;
  }

  // Those that take arrays: fit(features, labels), evaluate(features, labels).
  using of_arrays::evaluate;
  using of_arrays::fit;
  using of_arrays::predict;
  using of_arrays::train_step;

  /// Trains on the micro-batches of a feed, or on data, of which it makes a feed first with the
  /// session's seed: `run.fit(digits.train | shuffled(10'000) | repeated(), {.epochs = 4})`; see
  /// `fit_options`. Behind the options stand `validation_data(...)` and callbacks, any number of
  /// them: objects with hooks by Keras's names, told what there is and the `training_run`, as
  /// `on_epoch_end(const epoch_record&, training_run&)`, or a callable that takes an
  /// `epoch_record`. A hook of training that returns `stop_request::yes` ends it. Throws `error`
  /// before anything changes if steps or data do not fit the model. The history is the session's
  /// own.
  template <typename Source, typename... Behind>
  const history& fit(Source&& source, const fit_options& wanted = {}, Behind&&... behind) {
    static_assert(diagnose<loss_fault_of<compiled>>());
    static_assert(check_source<Source>() &&
                  check_behind_options<std::remove_reference_t<Behind>...>());
    if constexpr (!(check_validation_arrays<compiled, std::remove_cvref_t<Behind>> && ...)) {
      return refused_history();
    } else if constexpr (feed<std::remove_reference_t<Source>>) {
      refuse_split(wanted, "a feed cannot be divided");
      return fit_and_validate(source, wanted, behind...);
    } else if constexpr (dataset<dataset_of<Source>>) {
      static_assert(diagnose<data_fault_of<compiled, dataset_of<Source>>>());
      return fit_data(source, wanted, behind...);
    } else {
      return refused_history();
    }
  }

  /// One update from samples in order: an input [micro_batch * gradient_accumulation * replicas,
  /// elements], of the type of the model's input, and its labels or targets [samples, elements];
  /// of several `run.train_step(input_arrays{images, words}, target_arrays{labels, prices})`,
  /// targets in the order of the outputs that have a loss. Returns the mean loss before the update.
  /// Throws `error` before anything changes if there are more or fewer. Floats are read as they
  /// are: a NaN makes every weight NaN, and the loss that is returned. With `non_finite::refused`
  /// behind the targets it is an `error` before anything changes, as in a data set; that takes 2 %
  /// of a step of the tutorial's model.
  template <typename Input, typename Target>
  double train_step(const Input& input, const Target& target,
                    non_finite floats = non_finite::kept) {
    if constexpr (check_step<compiled, Input, Target>()) {
      return train_on(rows_of<tensor_role::input>(input), rows_of<tensor_role::target>(target), {},
                      floats);
    }
    return 0;
  }

  /// The same with what each sample counts [samples], or each of its positions, where the loss has
  /// `sample_weights` or `position_weights`; of several outputs `weight_arrays{...}`, one for each
  /// loss that asks for it. Throws `error` before anything changes for a negative weight;
  /// infinities and NaN are read as they are, as in features, or refused with
  /// `non_finite::refused`.
  template <typename Input, typename Target, typename Weights>
  double train_step(const Input& input, const Target& target, const Weights& weights,
                    non_finite floats = non_finite::kept) {
    if constexpr (check_step<compiled, Input, Target, Weights>()) {
      return train_on(rows_of<tensor_role::input>(input), rows_of<tensor_role::target>(target),
                      rows_of<tensor_role::weight>(weights), floats);
    }
    return 0;
  }

  /// The forward and backward passes of a step, from the same arguments: `gradients()` are complete
  /// then, and nothing else has changed. Returns the mean loss. With `apply_gradients` behind it
  /// the bits are those of `train_step`. Called again in its place it makes others; `train_step`,
  /// `fit` and `save_training` throw `error` between the two, before anything changes. The model is
  /// compiled with `gradients_in_hand`.
  template <typename Input, typename Target>
  double compute_gradients(const Input& input, const Target& target,
                           non_finite floats = non_finite::kept) {
    if constexpr (check_gradients() && check_step<compiled, Input, Target>()) {
      return train_on(rows_of<tensor_role::input>(input), rows_of<tensor_role::target>(target), {},
                      floats, &session_engine::compute_gradients);
    }
    return 0;
  }

  /// The same with what each sample counts.
  template <typename Input, typename Target, typename Weights>
  double compute_gradients(const Input& input, const Target& target, const Weights& weights,
                           non_finite floats = non_finite::kept) {
    if constexpr (check_gradients() && check_step<compiled, Input, Target, Weights>()) {
      return train_on(rows_of<tensor_role::input>(input), rows_of<tensor_role::target>(target),
                      rows_of<tensor_role::weight>(weights), floats,
                      &session_engine::compute_gradients);
    }
    return 0;
  }

  /// What `compute_gradients` made, by layer and name like `weights()`: of every parameter that
  /// learns the gradient of the loss, of all micro-batches and replicas. `get` and `set` it, as
  /// often as one likes, before it is applied. What the optimizer does with gradients, clipping
  /// among it, and the penalties of weights come with the update.
  parameters& gradients() {
    static_assert(check_gradients());
    return engine().gradients();
  }

  /// The update, with the gradients as they are now. Throws `error` if none were computed since the
  /// last one.
  void apply_gradients() {
    if constexpr (check_gradients()) {
      engine().apply_gradients(numbers_of_optimizer());
    }
  }

  /// Refused with a sentence: anything else.
  template <typename... Given>
  double train_step(const Given&...) {
    static_assert(diagnose<step_arguments_fault_of<Given...>>());
    return 0;
  }

  /// Mean loss and metrics over all samples of a feed, or of data:
  /// `run.evaluate(digits.test | take(1'000))`. Behind them stand callbacks, whose hooks of a test
  /// are called; nothing stops it.
  template <typename Source, callback... Callbacks>
  evaluation evaluate(Source&& source, Callbacks&&... callbacks) {
    static_assert(diagnose<loss_fault_of<compiled>>());
    static_assert(check_source<Source>() &&
                  check_behind_options<std::remove_reference_t<Callbacks>...>());
    if constexpr (feed<std::remove_reference_t<Source>>) {
      return evaluate_feed(source, callbacks...);
    } else if constexpr (dataset<dataset_of<Source>>) {
      static_assert(diagnose<data_fault_of<compiled, dataset_of<Source>>>());
      auto made = make_feed(std::as_const(source), engine().seed());
      return evaluate_feed(made, callbacks...);
    } else {
      return {};
    }
  }

  /// The model's output [samples, elements] for an input [samples, elements] of the type that it
  /// takes, or for data, whose targets nobody reads; of several inputs or outputs
  /// `run.predict(input_arrays{images, words}, output_arrays{scores, prices})`. Floats are read as
  /// they are: a NaN makes the output of its own sample NaN, and no other. Throws `error` before
  /// anything is written if an output has another size. Behind it stand callbacks.
  template <typename Input, typename Output, callback... Callbacks>
  void predict(const Input& input, Output&& output, Callbacks&&... callbacks) {
    if constexpr (dataset<dataset_of<Input>>) {
      static_assert(diagnose<predicted_data_fault_of<compiled, dataset_of<Input>>>());
      if constexpr (check_outputs<compiled, Output>()) {
        auto made = make_feed(input, engine().seed());
        predict_all(made, output, callbacks...);
      }
    } else if constexpr (check_prediction<compiled, Input, Output>()) {
      const auto rows = rows_of<tensor_role::input>(input);
      batch_feed given(rows, {});
      given.require_apart(rooms_of(output));
      predict_all(given, output, callbacks...);
    }
  }

  /// The same for all samples of a feed, from its beginning. Throws `error` if it has no length.
  template <feed Source, typename Output, callback... Callbacks>
  void predict(Source& source, Output&& output, Callbacks&&... callbacks) {
    if constexpr (check_outputs<compiled, Output>()) {
      predict_all(source, output, callbacks...);
    }
  }

  /// The same for a batch whose rank is known to the compiler: [samples, extents of the input...].
  template <typename Number, int Rank, typename Output>
    requires plain_numbers<std::span<Number>>
  void predict(const tensor_view<Number, Rank>& batch, Output&& output) {
    static_assert(diagnose<rank_fault_of<compiled, Rank>>());
    engine().check_batch(batch.extents, batch.elements.size());
    predict(batch.elements, std::forward<Output>(output));
  }

  /// The outputs for the next micro-batches of a feed, which goes on behind them, an element a
  /// micro-batch; returns how many there were before the feed ended. See `output_outfeed`.
  template <typename Feed>
  std::int64_t hand_out(Feed& source, std::int64_t micro_batches, output_listener& to) {
    static_assert(check_feed_wanted<Feed>());
    if constexpr (feed<Feed>) {
      return engine().hand_out(source, micro_batches, to);
    }
    return 0;
  }

  /// For a `listening_scope`: see `loss_outfeed`.
  session_engine& listened_to() { return engine(); }

  /// Refused with a sentence: anything else.
  template <typename... Given>
  std::vector<float> predict(const Given&...) {
    static_assert(diagnose<prediction_arguments_fault_of<Given...>>());
    return {};
  }

  /// Writes the weights as .npz; see `save_weights`.
  void save(const std::string& path, non_finite floats = non_finite::refused) const {
    code::save(weights(), path, floats);
  }

  /// Reads weights; see `load_weights`.
  void load(const std::string& path, non_finite floats = non_finite::refused) {
    code::load(weights(), path, floats);
  }

  /// As long as what it returns lives, the weights are their moving averages, which evaluate,
  /// predict, save and `weights()` then work on; nothing is trained, and training neither saved nor
  /// loaded meanwhile. Throws `error` before the first update, and if they are so already.
  ///
  ///   {
  ///     const auto averaged = run.averaged_weights();
  ///     run.evaluate(test);
  ///     run.save("averaged.npz");
  ///   }
  ///
  /// States that are not learned, such as the statistics of a BatchNormalization, stay what they
  /// are. What is returned has to end before the session does; a session that is moved takes it
  /// along. What `weights().set` or `load` changes meanwhile are the averages, which training goes
  /// on from.
  [[nodiscard]] averaged_scope averaged_weights() {
    static_assert(diagnose<averages_fault_of<compiled>>());
    return averaged_scope(engine());
  }

  /// Writes all that training goes on from as .npz; see `ipu_dsl::save_training`. Behind the path
  /// may stand a feed, whose position goes along.
  void save_training(const std::string& path, non_finite floats = non_finite::refused) const {
    code::save_training(engine(), path, floats, nullptr);
  }

  void save_training(const std::string& path, feed_reference source,
                     non_finite floats = non_finite::refused) const {
    code::save_training(engine(), path, floats, &source);
  }

  /// Reads it: what is trained from here on has the bits of one that was never interrupted, on data
  /// that stand where they stood: a feed behind the path, or a `fit` with `.resume = true` of what
  /// one of its callbacks saved. Throws `error` within a fit but for its on_train_begin. See
  /// `ipu_dsl::load_training`.
  void load_training(const std::string& path, non_finite floats = non_finite::refused) {
    code::load_training(engine(), path, floats, nullptr);
  }

  void load_training(const std::string& path, feed_reference source,
                     non_finite floats = non_finite::refused) {
    code::load_training(engine(), path, floats, &source);
  }

  /// Parameters by layer and name.
  parameters& weights() { return engine().weights(); }

  const parameters& weights() const { return engine().weights(); }

  /// What the last training run did; asked for by `session_options::trace`.
  const trace& last_trace() const { return engine().last_trace(); }

  /// Bytes of all regions, without what large pages round up.
  std::size_t bytes() const { return engine().bytes(); }

 private:
  optimizer_reference numbers_of_optimizer() const {
    return optimizer_reference::of<typename compiled::optimizer_type>(optimizer_);
  }

  /// A fit shuffles in other orders than those before it, as Keras does: no pass has more passes
  /// before it than samples.
  template <typename Feed>
  void go_on_behind_last_fit(Feed& source) {
    source.begin_behind(engine().progress().samples);
  }

  /// Trains on a data set, or on all of it but a share that it is validated on.
  template <typename Source, typename... Behind>
  const history& fit_data(const Source& source, const fit_options& wanted, Behind&... behind) {
    if (wanted.validation_split == 0) {
      auto made = make_feed(source, engine().seed());
      go_on_behind_last_fit(made);
      return fit_and_validate(made, wanted, behind...);
    }
    if constexpr ((is_validation<Behind> || ...)) {
      refuse_split(wanted, "there is validation_data as well");
    }
    const auto parts = split_off(source, wanted.validation_split);
    auto trained = make_feed(parts.trained, engine().seed());
    go_on_behind_last_fit(trained);
    auto validated = make_feed(parts.validated, engine().seed());
    feed_reference validation(validated);
    return fit_feed(trained, &validation, wanted, behind...);
  }

  template <feed Feed, typename... Behind>
  const history& fit_and_validate(Feed& source, const fit_options& wanted, Behind&... behind) {
    if constexpr (!(is_validation<Behind> || ...)) {
      return fit_feed(source, nullptr, wanted, behind...);
    } else {
      auto& given = validation_among(behind...);
      using type = std::remove_reference_t<decltype(given)>;
      if constexpr (are_validation_arrays<type>) {
        return of_arrays::with_array_data(given, [&](const auto& data) -> const history& {
          validation_data told(data);
          return fit_and_validate(source, wanted, told, behind...);
        });
      } else if constexpr (feed<type>) {
        feed_reference validation(given);
        return fit_feed(source, &validation, wanted, behind...);
      } else if constexpr (dataset<dataset_of<type>>) {
        static_assert(diagnose<data_fault_of<compiled, dataset_of<type>>>());
        auto made = make_feed(std::as_const(given), engine().seed());
        feed_reference validation(made);
        return fit_feed(source, &validation, wanted, behind...);
      } else {
        static_assert(check_source<decltype(given)>());
        return refused_history();
      }
    }
  }

  template <feed Feed, typename... Callbacks>
  const history& fit_feed(Feed& source, feed_reference* validation, const fit_options& wanted,
                          Callbacks&... callbacks) {
    return with_callbacks(
        engine(), learning_rate(),
        [&](const callback_list& heard) -> const history& {
          return engine().fit({source, wanted, numbers_of_optimizer(), heard, validation});
        },
        callbacks...);
  }

  template <feed Feed, typename... Callbacks>
  evaluation evaluate_feed(Feed& source, Callbacks&... callbacks) {
    return with_callbacks(
        engine(), learning_rate(),
        [&](const callback_list& heard) { return engine().evaluate(source, heard); }, callbacks...);
  }

  template <feed Feed, typename Output, typename... Callbacks>
  void predict_all(Feed& source, Output& output, Callbacks&... callbacks) {
    static_assert(check_behind_options<Callbacks...>());
    with_callbacks(
        engine(), learning_rate(),
        [&](const callback_list& heard) { engine().predict(source, rooms_of(output), heard); },
        callbacks...);
  }

  /// The rate in the settings; null if they have none.
  learning_rate_schedule* learning_rate() {
    if constexpr (requires(settings& of) {
                    { of.learning_rate } -> std::same_as<learning_rate_schedule&>;
                  }) {
      return &optimizer_.learning_rate;
    } else {
      return nullptr;
    }
  }

  static constexpr bool check_gradients() { return diagnose<gradients_fault_of<compiled>>(); }

  using step_of_engine = double (session_engine::*)(feed_reference, const optimizer_reference&);

  double train_on(list_view<batch_source> input, list_view<batch_source> target,
                  list_view<batch_source> weights, non_finite floats,
                  step_of_engine step = &session_engine::train_step) {
    static_assert(diagnose<loss_fault_of<compiled>>());
    batch_feed given(input, target, weights);
    if (floats == non_finite::refused) {
      check_all_finite(input);
      check_all_finite(target);
    }
    check_all_weights(weights);
    return (engine().*step)(given, numbers_of_optimizer());
  }

  /// Plain arrays as the inputs or targets of the model.
  template <tensor_role Role, typename Arrays>
  static auto rows_of(const Arrays& given) {
    return model_arrays<compiled>::template rows_of<Role>(given);
  }

  /// What does the work. A session that was moved from has none.
  session_engine& engine() const {
    if (engine_.get() == nullptr) {
      raise_error("This session was moved from: it has neither weights nor workers.");
    }
    refuse_update_hook(engine_.get());
    return *engine_.get();
  }

  engine_owner engine_;
  settings optimizer_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
