// SPDX-License-Identifier: MIT
// A compiled model that runs: fit, evaluate, predict.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <ipu_dsl/data/tensor_view.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/operators/dense.hpp>
#include <ipu_dsl/operators/elementwise.hpp>
#include <ipu_dsl/operators/results.hpp>
#include <ipu_dsl/operators/sgd.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/data_check.hpp>
#include <ipu_dsl/training/session_core.hpp>

namespace ipu_dsl {

/// The code of a program, one function for each distinct kernel.
template <std::size_t Count>
struct function_table {
  kernel_function functions[Count + 1] = {};

  constexpr std::span<const kernel_function> view() const { return {functions, Count}; }
};

/// Built by a consteval function, so that its long list of indices is part of no emitted name.
template <compiled_model C, program_kind Kind>
consteval auto make_functions() {
  constexpr std::size_t count = plan_sizes_of<C, Kind>.codes;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    constexpr const auto& codes = frozen_plan_of<C, Kind>.codes;
    return function_table<count>{
        {&operators<codes[I].rule>::template run<codes[I].signature>..., nullptr}};
  }(std::make_index_sequence<count>());
}

template <compiled_model C, program_kind Kind>
inline constexpr function_table<plan_sizes_of<C, Kind>.codes> functions_of =
    make_functions<C, Kind>();

/// A program and its code, or nothing for a program that a model without a loss does not have.
template <compiled_model C, program_kind Kind>
loaded_program load_program() {
  if constexpr (Kind == program_kind::predict || C::settings.loss != nullptr) {
    return {frozen_plan_of<C, Kind>.view(), functions_of<C, Kind>.view()};
  } else {
    return {};
  }
}

template <compiled_model C>
session_parts parts_of() {
  return {.model = frozen_compiled_graph_of<C>.view(),
          .settings = C::settings,
          .places = parameter_places_of<C>.view(),
          .train = load_program<C, program_kind::train>(),
          .evaluate = load_program<C, program_kind::evaluate>(),
          .predict = load_program<C, program_kind::predict>()};
}

/// What is wrong with a type of data for a compiled model.
template <compiled_model C, dataset Data>
struct data_fault_of {
  static constexpr problem value =
      check_data(frozen_compiled_graph_of<C>.view(), Data::sample_shape, Data::classes);
};

/// What is wrong with the rank of a batch.
template <compiled_model C, int Rank>
struct rank_fault_of {
  static constexpr problem value = check_rank(frozen_compiled_graph_of<C>.view(), Rank);
};

/// A session of a compiled model: owns its memory, its workers and its weights.
///
///   session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}, {.threads = 2}};
///
/// Data sets and their transformations must outlive the calls that they are given to. After
/// construction, calls that are given a feed take no memory; those that are given data make a
/// feed of them first.
template <compiled_model Compiled>
class session {
  static_assert(check<Compiled>());
  using compiled = typename Compiled::compiled;

 public:
  using settings = typename compiled::optimizer_type::settings;

  explicit session(const settings& optimizer = {}, const session_options& options = {})
      : core_(parts_of<compiled>(), options) {
    set_optimizer(optimizer);
  }

  /// New numbers for the optimizer, from the next update on.
  void set_optimizer(const settings& optimizer) { optimizer.write(numbers_); }

  /// Trains on the micro-batches of a feed; see `fit_options`. Throws `error` before anything
  /// changes if steps or data do not fit the model. The history is the session's own.
  template <feed Feed>
  const history& fit(Feed& source, const fit_options& wanted) {
    return core_.fit(source, wanted, numbers_, {});
  }

  /// The same, calling `done(record)` after every epoch.
  template <feed Feed, typename Done>
  const history& fit(Feed& source, const fit_options& wanted, Done done) {
    return core_.fit(
        source, wanted, numbers_,
        {[](void* object, const epoch_record& record) { (*static_cast<Done*>(object))(record); },
         &done});
  }

  /// Trains on data: `run.fit(digits.train | shuffled(10'000) | repeated(), {.epochs = 4})`.
  /// Makes the feed first, with the session's seed.
  template <dataset Data>
  const history& fit(const transformed<Data>& data, const fit_options& wanted) {
    static_assert(diagnose<data_fault_of<compiled, Data>>());
    auto source = make_feed(data, core_.options().seed);
    return fit(source, wanted);
  }

  /// The same, calling `done(record)` after every epoch.
  template <dataset Data, typename Done>
  const history& fit(const transformed<Data>& data, const fit_options& wanted, Done done) {
    static_assert(diagnose<data_fault_of<compiled, Data>>());
    auto source = make_feed(data, core_.options().seed);
    return fit(source, wanted, done);
  }

  /// One update from samples in order: features [gradient_accumulation * micro_batch, elements]
  /// and their labels. Returns the mean loss before the update. Throws `error` before anything
  /// changes if there are more or fewer.
  double train_step(std::span<const float> features, std::span<const std::int32_t> labels) {
    batch_feed given(features, sample_elements(), labels, classes());
    return core_.train_step(given, numbers_);
  }

  /// Mean loss and accuracy over all samples of a feed.
  template <feed Feed>
  evaluation evaluate(Feed& source) {
    return core_.evaluate(source);
  }

  /// Mean loss and accuracy over a data set.
  template <dataset Data>
  evaluation evaluate(const Data& data) {
    static_assert(diagnose<data_fault_of<compiled, Data>>());
    auto source = make_feed(data, core_.options().seed);
    return core_.evaluate(source);
  }

  /// The model's output [samples, elements] for features [samples, elements]. Throws `error`
  /// before anything is written if `output` has another size.
  void predict(std::span<const float> features, std::span<float> output) {
    batch_feed given(features, sample_elements());
    core_.predict(given, output);
  }

  /// The same for a batch whose rank is known to the compiler: [samples, extents of the input...].
  template <int Rank>
  void predict(const tensor_view<const float, Rank>& batch, std::span<float> output) {
    static_assert(diagnose<rank_fault_of<compiled, Rank>>());
    check_batch(core_.model(), batch.extents, batch.elements.size());
    predict(batch.elements, output);
  }

  /// Writes the weights as .npz; see `save_weights`.
  void save(const std::string& path) const { save_weights(core_.weights(), path); }

  /// Reads weights; see `load_weights`.
  void load(const std::string& path) { load_weights(core_.weights(), path); }

  /// Parameters by layer and name.
  parameters& weights() { return core_.weights(); }

  const parameters& weights() const { return core_.weights(); }

  /// What the last training run did; asked for by `session_options::trace`.
  const trace& last_trace() const { return core_.last_trace(); }

  /// Bytes of all regions.
  std::size_t bytes() const { return core_.bytes(); }

 private:
  static constexpr std::int64_t sample_elements() {
    constexpr graph_view model = frozen_compiled_graph_of<compiled>.view();
    return model.at(model.input).extents.elements();
  }

  static constexpr std::int32_t classes() {
    constexpr graph_view model = frozen_compiled_graph_of<compiled>.view();
    return static_cast<std::int32_t>(model.at(model.output).extents.elements());
  }

  session_core core_;
  std::array<float, 4> numbers_{};
};

}  // namespace ipu_dsl
