// SPDX-License-Identifier: MIT
// Predict alone, for code that must answer in time: a call takes no memory, no lock, no system
// call, and throws nothing. No training, no threads.
// Over 300 lines: one class with a constructor for each kind of weights and memory.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/fixed_length.hpp>
#include <ipu_dsl/model/one_step.hpp>
#include <ipu_dsl/operators/layers.hpp>
#include <ipu_dsl/plan/predictor_names.hpp>
#include <ipu_dsl/plan/run_values.hpp>
#include <ipu_dsl/runtime/const_predictor.hpp>
#include <ipu_dsl/runtime/folded_weights.hpp>
#include <ipu_dsl/runtime/prediction_code.hpp>
#include <ipu_dsl/runtime/prediction_faults.hpp>
#include <ipu_dsl/runtime/prediction_run.hpp>
#include <ipu_dsl/runtime/subnormals.hpp>
#include <ipu_dsl/runtime/weights.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Makes one compile error with one sentence if there is no predictor of `M`; always true.
template <typename M, typename Batch>
constexpr bool check_predictor() {
  if constexpr (!model_type<M>) {
    return check_predicted<M>();
  } else if constexpr (batch_fault_of<Batch>::value.found()) {
    return diagnose<batch_fault_of<Batch>>();
  } else {
    using compiled = compiled_for_inference<M, Batch>;
    return check<compiled>() && diagnose<prediction_fault_of<compiled>>();
  }
}

/// Whether a model can be predicted in such batches; never an error.
template <typename M, typename Batch>
constexpr bool predicts() {
  if constexpr (batch_fault_of<Batch>::value.found()) {
    return false;
  } else {
    return predictable<compiled_for_inference<M, Batch>>();
  }
}

template <typename T>
inline constexpr bool is_weights = false;

template <typename M>
inline constexpr bool is_weights<weights_of<M>> = true;

template <typename M>
inline constexpr bool is_weights<embedded_weights<M>> = true;

template <std::size_t Floats, std::int32_t Lanes, std::int32_t Registers, std::uint64_t Shapes>
inline constexpr bool is_weights<laid_out_weights<Floats, Lanes, Registers, Shapes>> = true;

/// Whether that is `input_arrays{...}` or `output_arrays{...}`.
template <typename T>
inline constexpr bool is_arrays = requires { &std::remove_cvref_t<T>::each; };

/// What is wrong with what a predictor is made of.
template <typename T>
struct no_weights_fault_of {
  static constexpr problem find() {
    problem found = refuse("weights_of<...> or embedded_weights<...>", type_name<T>(),
                           "write weights_of<mlp> weights, weights.copy_from(run.weights()) and "
                           "give it those");
    found.where = "the predictor";
    return found;
  }

  static constexpr problem value = find();
};

/// Weights of the model that a predictor may not read, because they end with the statement.
template <typename Weights, typename M>
concept own_weights =
    std::same_as<Weights, weights_of<M>> || std::same_as<Weights, embedded_weights<M>>;

/// What a predictor of a compiled model does; `predictor` says how it is made.
template <typename M, typename C, bool Predictable>
class predictor_of {
  static constexpr const prediction_facts& facts = prediction_of<C>.facts;

  static constexpr std::size_t input_count = facts.input_count;
  static constexpr std::size_t output_count = facts.output_count;

  /// One input of floats and one output.
  static constexpr bool plain =
      input_count == 1 && output_count == 1 && facts.inputs[0].type == dtype::float32;

  template <std::size_t Count>
  static constexpr std::array<std::size_t, Count> elements_of(const prediction_end* ends) {
    std::array<std::size_t, Count> counted{};
    std::transform(ends, ends + Count, counted.begin(),
                   [](const prediction_end& end) { return end.elements; });
    return counted;
  }

 public:
  /// Samples of a call.
  static constexpr std::size_t batch = static_cast<std::size_t>(C::settings.micro_batch);

  /// Values of a sample in each input, and of its results in each output.
  static constexpr auto input_values = elements_of<input_count>(facts.inputs);
  static constexpr auto output_values = elements_of<output_count>(facts.outputs);

  /// The same of the first.
  static constexpr std::size_t sample_values = input_values[0];
  static constexpr std::size_t result_values = output_values[0];

 private:
  static constexpr const std::byte* no_weights = nullptr;

  /// What `push` gives where there is more than floats for one output.
  using results = std::conditional_t<output_count == 1, std::span<const float>,
                                     std::array<std::span<const float>, output_count>>;

 public:
  /// What `predictor(weights, memory)` needs: activations, no weights. `alignment` says where it
  /// has to begin.
  static constexpr std::size_t bytes = prediction_run<C>::bytes;
  static constexpr std::size_t alignment = memory_block::alignment;

  /// With activations in memory of its own, taken here. The weights must outlive it.
  explicit predictor_of(const weights_of<M>& weights)
      : predictor_of(weights.data(), memory_block(bytes)) {}

  explicit predictor_of(const embedded_weights<M>& weights)
      : predictor_of(weights.data(), memory_block(bytes)) {}

  template <std::size_t Floats, std::int32_t Lanes, std::int32_t Registers, std::uint64_t Shapes>
  explicit predictor_of(const laid_out_weights<Floats, Lanes, Registers, Shapes>& weights)
      : predictor_of(begin_of<M>(weights), memory_block(bytes)) {}

  /// With activations in the caller's memory, which must outlive it. Refused with an `error` if
  /// that is too small or begins at no multiple of `alignment`: `memory_fault` asks before.
  predictor_of(const weights_of<M>& weights, std::span<std::byte> memory)
      : predictor_of(weights.data(), memory_block(memory, bytes, "a predictor")) {}

  predictor_of(const embedded_weights<M>& weights, std::span<std::byte> memory)
      : predictor_of(weights.data(), memory_block(memory, bytes, "a predictor")) {}

  template <std::size_t Floats, std::int32_t Lanes, std::int32_t Registers, std::uint64_t Shapes>
  predictor_of(const laid_out_weights<Floats, Lanes, Registers, Shapes>& weights,
               std::span<std::byte> memory)
      : predictor_of(begin_of<M>(weights), memory_block(memory, bytes, "a predictor")) {}

  /// Memory whose length the compiler knows and that is too small is a compile error.
  template <typename Weights, fixed_length_range Memory>
    requires(std::convertible_to<Memory, std::span<std::byte>> && static_length_of<Memory> < bytes)
  predictor_of(const Weights&, Memory&&) : predictor_of(no_weights, memory_block(0)) {
    static_assert(diagnose<memory_size_fault_of<bytes, static_length_of<Memory>>>());
  }

  /// So is memory of anything but bytes, and weights of another model.
  template <typename Weights, typename Memory>
    requires(!std::convertible_to<Memory, std::span<std::byte>> &&
             !std::same_as<Memory, memory_block>)
  predictor_of(const Weights&, Memory&&) : predictor_of(no_weights, memory_block(0)) {
    static_assert(diagnose<memory_type_fault_of<Memory>>());
  }

  template <template <typename> typename Weights, typename Other, typename... Memory>
    requires(!std::same_as<Other, M> && is_weights<Weights<Other>>)
  explicit predictor_of(const Weights<Other>&, Memory&&...)
      : predictor_of(no_weights, memory_block(0)) {
    static_assert(diagnose<weights_fault_of<M, Other>>());
  }

  /// So is nothing, or anything that is no weights.
  template <typename... Others>
    requires(sizeof...(Others) < 2 &&
             !((is_weights<Others> || std::derived_from<Others, predictor_of>) || ...))
  explicit predictor_of(const Others&...) : predictor_of(no_weights, memory_block(0)) {
    static_assert(diagnose<no_weights_fault_of<typename first_type<Others...>::type>>());
  }

  /// So are weights that end where it is made.
  template <own_weights<M> Weights, typename... Memory>
  explicit predictor_of(Weights&&, Memory&&...) : predictor_of(no_weights, memory_block(0)) {
    static_assert(diagnose<temporary_weights_fault_of<Weights>>());
  }

  /// Why `predictor(weights, memory)` would be refused, as a sentence; empty if it would not.
  static sentence memory_fault(std::span<const std::byte> memory) noexcept {
    return memory_block::fault(memory, bytes, "a predictor");
  }

  /// Gives the model's `build.value("temperature")` another number, from the next call on. One
  /// without a default is NaN until then.
  template <fixed_string Name>
  void set(float value) noexcept {
    if constexpr (diagnose<run_value_fault_of<C, Name>>()) {
      run_.set_value(run_value_number<C, Name>, value);
    }
  }

  /// Begins another sequence: the next call goes on from no step before it.
  void reset() noexcept
    requires(steps_one_by_one<M>)
  {
    run_.forget();
  }

  /// Refused with a sentence: of samples that are whole there is nothing to forget.
  template <typename Model = M>
    requires(!steps_one_by_one<Model>)
  void reset() noexcept {
    static_assert(diagnose<nothing_carried_fault_of<Model>>());
  }

  /// Reads other weights from the next call on, which must outlive it or the next `use`. Call it on
  /// the thread that predicts; `weights_exchange` brings them from another one.
  void use(const weights_of<M>& weights) noexcept { run_.read_from(weights.data()); }

  void use(const embedded_weights<M>& weights) noexcept { run_.read_from(weights.data()); }

  template <std::size_t Floats, std::int32_t Lanes, std::int32_t Registers, std::uint64_t Shapes>
  void use(const laid_out_weights<Floats, Lanes, Registers, Shapes>& weights) noexcept {
    run_.read_from(begin_of<M>(weights));
  }

  template <typename Other>
    requires(!std::same_as<Other, M>)
  void use(const weights_of<Other>&) noexcept {
    static_assert(diagnose<weights_fault_of<M, Other>>());
  }

  template <own_weights<M> Weights>
  void use(Weights&&) noexcept {
    static_assert(diagnose<temporary_weights_fault_of<Weights>>());
  }

  /// The model's output [batch, result_values] for features [batch, sample_values]; it may be
  /// written over these, or over a part of them. For memory whose length the compiler knows:
  /// another one is a compile error.
  template <fixed_length_range Features, fixed_length_range Output>
    requires(plain && readable_floats<Features> && writable_floats<Output>)
  void predict(const Features& features, Output&& output) noexcept {
    static_assert(
        diagnose<value_count_fault_of<batch * sample_values, static_length_of<const Features>>>());
    static_assert(
        diagnose<value_count_fault_of<batch * result_values, static_length_of<Output>>>());
    run_plain(std::span<const float>(features).data(), std::span<float>(output).data());
  }

  /// The same for any memory. False, and nothing is written, if either has another length.
  [[nodiscard]] bool predict(std::span<const float> features, std::span<float> output) noexcept
    requires(plain)
  {
    if (features.size() != batch * sample_values || output.size() != batch * result_values) {
      return false;
    }
    run_plain(features.data(), output.data());
    return true;
  }

  /// The outputs of a model, each [batch, elements], for its inputs, each [batch, elements]:
  /// `predict(input_arrays{images, words}, output_arrays{scores, prices})`. False, and nothing is
  /// written, if one has another length, or an integer is none that the model takes; another length
  /// that the compiler knows is a compile error.
  template <typename... Input, typename... Output>
  [[nodiscard]] bool predict(const input_arrays<Input...>& input,
                             const output_arrays<Output...>& output) noexcept {
    if constexpr (check_arrays<input_arrays<Input...>, sizeof...(Output)>(
                      std::index_sequence_for<Input...>()) &&
                  diagnose<
                      known_lengths_fault_of<batch, input_values, output_values,
                                             input_arrays<Input...>, output_arrays<Output...>>>()) {
      if (!run_.fit(input.each) || !run_.fit(output.each)) {
        return false;
      }
      const void* inputs[input_count];
      float* outputs[output_count];
      for (std::size_t i = 0; i < input_count; ++i) {
        inputs[i] = input.each[i].first;
      }
      for (std::size_t i = 0; i < output_count; ++i) {
        outputs[i] = output.each[i].data();
      }
      run_(inputs, outputs);
      return true;
    }
    return false;
  }

  /// The same of one output, of one input, and of one input of other numbers and one output.
  template <typename... Input, typename Output>
    requires writable_floats<Output>
  [[nodiscard]] bool predict(const input_arrays<Input...>& input, Output&& output) noexcept {
    return predict(input, output_arrays{output});
  }

  template <typename Numbers, typename... Output>
    requires plain_numbers<Numbers>
  [[nodiscard]] bool predict(const Numbers& input,
                             const output_arrays<Output...>& output) noexcept {
    return predict(input_arrays{input}, output);
  }

  template <typename Numbers, typename Output>
    requires(input_count == 1 && output_count == 1 && !plain && plain_numbers<Numbers> &&
             writable_floats<Output>)
  [[nodiscard]] bool predict(const Numbers& input, Output&& output) noexcept {
    return predict(input_arrays{input}, output_arrays{output});
  }

  /// Anything but floats is a compile error.
  template <typename Features, typename Output>
    requires(plain && !is_arrays<Features> && !is_arrays<Output> &&
             !(readable_floats<Features> && writable_floats<Output>))
  bool predict(const Features&, Output&&) noexcept {
    static_assert(diagnose<value_type_fault_of<Features, Output>>());
    return false;
  }

  /// So are too few or too many.
  template <typename... Given>
    requires(sizeof...(Given) != 2)
  bool predict(const Given&...) noexcept {
    static_assert(diagnose<argument_count_fault_of<sizeof...(Given)>>());
    return false;
  }

  /// So is one array for a model of more.
  template <typename Features, typename Output>
    requires(!is_arrays<Features> && !is_arrays<Output> && (input_count > 1 || output_count > 1))
  bool predict(const Features&, Output&&) noexcept {
    static_assert(diagnose<plain_arrays_fault_of<C>>());
    return false;
  }

  /// Memory of another length than a sample is a compile error; that of a length which the compiler
  /// does not know has to say which part of it: `std::span(values).first<784>()`.
  template <typename Sample>
    requires(batch == 1 && plain &&
             !std::convertible_to<const Sample&, std::span<const float, sample_values>>)
  std::span<const float, result_values> push(const Sample&) noexcept {
    if constexpr (readable_floats<Sample> && fixed_length_range<const Sample>) {
      static_assert(
          diagnose<value_count_fault_of<sample_values, static_length_of<const Sample>>>());
    } else {
      static_assert(diagnose<sample_fault_of<Sample, sample_values>>());
    }
    return std::span<const float, result_values>(static_cast<const float*>(nullptr), result_values);
  }

  /// The result of the next sample of a stream; it lies in the predictor's memory and stays until
  /// the next call.
  std::span<const float, result_values> push(std::span<const float, sample_values> sample) noexcept
    requires(batch == 1 && plain)
  {
    float* const result = run_.result(0);
    run_plain(sample.data(), result);
    return std::span<const float, result_values>(result, result_values);
  }

  /// The same of a model with more inputs or outputs, or with integers, an array for each input:
  /// `const auto [scores, price] = stream.push(image, words);`. Empty, and nothing is computed, if
  /// an array has another length, or an integer is none that the model takes.
  template <typename... Samples>
    requires(batch == 1 && !plain && (plain_numbers<Samples> && ...))
  results push(const Samples&... samples) noexcept {
    std::array<std::span<float>, output_count> made;
    for (std::size_t i = 0; i < output_count; ++i) {
      float* const result = run_.result(i);
      made[i] = std::span<float>(result, output_values[i]);
    }
    const auto into = [&made]<std::size_t... I>(std::index_sequence<I...>) {
      return output_arrays{made[I]...};
    }(std::make_index_sequence<output_count>());
    const bool done = predict(input_arrays{samples...}, into);
    if constexpr (output_count == 1) {
      return done ? made[0] : std::span<float>();
    } else {
      results given;
      if (done) {
        std::copy(made.begin(), made.end(), given.begin());
      }
      return given;
    }
  }

  /// Anything but arrays of numbers is a compile error.
  template <typename... Samples>
    requires(batch == 1 && !plain && !(plain_numbers<Samples> && ...))
  results push(const Samples&...) noexcept {
    static_assert(diagnose<samples_fault_of<Samples...>>());
    return {};
  }

  /// Of a predictor that takes several samples in a call it is a compile error.
  template <typename... Samples>
    requires(batch != 1)
  std::span<const float> push(const Samples&...) noexcept {
    static_assert(diagnose<push_fault_of<batch>>());
    return {};
  }

 private:
  predictor_of(const std::byte* weights, memory_block memory) : run_(weights, std::move(memory)) {}

  /// Whether arrays are the inputs and outputs of the model.
  template <typename Input, std::size_t Outputs, std::size_t... I>
  static consteval bool check_arrays(std::index_sequence<I...>) {
    if constexpr (predicted_inputs_fault_of<C, Input::types[I]...>::value.found()) {
      return diagnose<predicted_inputs_fault_of<C, Input::types[I]...>>();
    } else {
      return diagnose<predicted_outputs_fault_of<C, Outputs>>() && Outputs == output_count;
    }
  }

  void run_plain(const float* features, float* output) noexcept {
    const void* const inputs[] = {features};
    float* const outputs[] = {output};
    run_(inputs, outputs);
  }

  prediction_run<C> run_;
};

/// The predictor of a model that is wrong: it takes everything, so that the one sentence about the
/// model stays the only error. It is never linked.
template <typename M, typename C>
class predictor_of<M, C, false> {
 public:
  static constexpr std::size_t batch = 1;
  static constexpr std::array<std::size_t, 1> input_values{1};
  static constexpr std::array<std::size_t, 1> output_values{1};
  static constexpr std::size_t sample_values = 1;
  static constexpr std::size_t result_values = 1;
  static constexpr std::size_t bytes = 1;
  static constexpr std::size_t alignment = memory_block::alignment;

  template <typename... Arguments>
  explicit predictor_of(Arguments&&...);

  template <typename... Arguments>
  void use(Arguments&&...) noexcept;

  void reset() noexcept;

  template <fixed_string Name>
  void set(float) noexcept;

  template <typename... Arguments>
  bool predict(Arguments&&...) noexcept;

  template <typename... Arguments>
  std::span<const float> push(Arguments&&...) noexcept;
};

/// Predicts micro-batches of a model on the calling thread.
///
///   weights_of<mlp> weights;
///   weights.copy_from(run.weights());
///   predictor<mlp, micro_batch<1>> classify(weights);
///   classify.predict(image, scores);
///
/// The kernels are those of a session, and so are the bits of the results. After construction a
/// call takes no memory, no lock and no system call, and throws nothing. Predictors share weights;
/// each thread needs one of its own.
template <typename M, typename Batch>
class predictor : public predictor_of<M, compiled_for_inference<M, Batch>, predicts<M, Batch>()>,
                  public const_predictor_calls<M> {
  using calls = predictor_of<M, compiled_for_inference<M, Batch>, predicts<M, Batch>()>;
  using const_calls = const_predictor_calls<M>;
  static_assert(check_predictor<M, Batch>());

 public:
  using calls::calls;
  using calls::predict, const_calls::predict;
  using calls::push, const_calls::push;
  using calls::reset, const_calls::reset;
  using calls::use, const_calls::use;
  predictor(predictor&&) = default;
  predictor& operator=(predictor&&) = default;
  predictor(const predictor&) = delete;  // it has memory of its own: make another of the weights
  predictor& operator=(const predictor&) = delete;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
