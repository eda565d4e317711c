// SPDX-License-Identifier: MIT
// Predict alone, for code that must answer in time: a call takes no memory, no lock, no system
// call, and throws nothing. No training, no threads.
// Over 300 lines: one class with its constructors for each kind of weights and memory, refused
// ones included.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/fixed_length.hpp>
#include <ipu_dsl/operators/layers.hpp>
#include <ipu_dsl/runtime/prediction_code.hpp>
#include <ipu_dsl/runtime/prediction_faults.hpp>
#include <ipu_dsl/runtime/subnormals.hpp>
#include <ipu_dsl/runtime/weights.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What is wrong with a type that is given to a predictor as its batch.
template <typename T>
struct batch_fault_of {
  static constexpr problem find() {
    problem found;
    if (*read_option<T>().value.key != micro_batch_key) {
      found = refuse("micro_batch<...> behind the model", type_name<T>());
      found.where = "predictor";
    }
    return found;
  }

  static constexpr problem value = find();
};

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

template <typename T>
inline constexpr bool is_weights = false;

template <typename M>
inline constexpr bool is_weights<weights_of<M>> = true;

template <typename M>
inline constexpr bool is_weights<embedded_weights<M>> = true;

template <std::size_t Floats, std::int32_t Lanes, std::int32_t Registers, std::uint64_t Shapes>
inline constexpr bool is_weights<laid_out_weights<Floats, Lanes, Registers, Shapes>> = true;

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

/// What a predictor of a compiled model does; `predictor` says how it is made.
template <typename M, typename C, bool Predictable>
class predictor_of {
  static constexpr const auto& program = prediction_of<C>;
  static constexpr const prediction_facts& facts = program.facts;

  static constexpr graph_view model = planned_graph_of<C>.view();

 public:
  /// Samples of a call.
  static constexpr std::size_t batch = static_cast<std::size_t>(C::settings.micro_batch);

  /// Values of a sample, and of its result.
  static constexpr std::size_t sample_values =
      static_cast<std::size_t>(model.input().extents.elements());
  static constexpr std::size_t result_values =
      static_cast<std::size_t>(model.at(model.output(0)).extents.elements());

 private:
  static constexpr const std::byte* no_weights = nullptr;
  static constexpr bool keeps_result = facts.output.owner != operand_owner::activations;

 public:
  /// What `predictor(weights, memory)` needs: activations, no weights. `alignment` says where it
  /// has to begin.
  static constexpr std::size_t bytes =
      static_cast<std::size_t>(facts.activation_bytes) +
      (batch == 1 && keeps_result ? result_values * sizeof(float) : 0);
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

  template <typename Other, typename... Memory>
    requires(!std::same_as<Other, M>)
  explicit predictor_of(const weights_of<Other>&, Memory&&...)
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

  predictor_of(weights_of<M>&&) = delete;
  predictor_of(weights_of<M>&&, std::span<std::byte>) = delete;
  predictor_of(embedded_weights<M>&&) = delete;
  predictor_of(embedded_weights<M>&&, std::span<std::byte>) = delete;

  /// Why `predictor(weights, memory)` would be refused, as a sentence; empty if it would not.
  static sentence memory_fault(std::span<const std::byte> memory) noexcept {
    return memory_block::fault(memory, bytes, "a predictor");
  }

  /// Reads other weights from the next call on, which must outlive it or the next `use`. Call it on
  /// the thread that predicts; `weights_exchange` brings them from another one.
  void use(const weights_of<M>& weights) noexcept { read_from(weights.data()); }

  void use(const embedded_weights<M>& weights) noexcept { read_from(weights.data()); }

  template <std::size_t Floats, std::int32_t Lanes, std::int32_t Registers, std::uint64_t Shapes>
  void use(const laid_out_weights<Floats, Lanes, Registers, Shapes>& weights) noexcept {
    read_from(begin_of<M>(weights));
  }

  template <typename Other>
    requires(!std::same_as<Other, M>)
  void use(const weights_of<Other>&) noexcept {
    static_assert(diagnose<weights_fault_of<M, Other>>());
  }

  void use(weights_of<M>&&) = delete;
  void use(embedded_weights<M>&&) = delete;

  /// The model's output [batch, result_values] for features [batch, sample_values], which must not
  /// overlap. For memory whose length the compiler knows: another one is a compile error.
  template <fixed_length_range Features, fixed_length_range Output>
    requires(readable_floats<Features> && writable_floats<Output>)
  void predict(const Features& features, Output&& output) noexcept {
    static_assert(
        diagnose<value_count_fault_of<batch * sample_values, static_length_of<const Features>>>());
    static_assert(
        diagnose<value_count_fault_of<batch * result_values, static_length_of<Output>>>());
    run(std::span<const float>(features).data(), std::span<float>(output).data());
  }

  /// The same for any memory. False, and nothing is written, if either has another length.
  [[nodiscard]] bool predict(std::span<const float> features, std::span<float> output) noexcept {
    if (features.size() != batch * sample_values || output.size() != batch * result_values) {
      return false;
    }
    run(features.data(), output.data());
    return true;
  }

  /// Anything but floats is a compile error.
  template <typename Features, typename Output>
    requires(!readable_floats<Features> || !writable_floats<Output>)
  bool predict(const Features&, Output&&) noexcept {
    static_assert(diagnose<value_type_fault_of<Features, Output>>());
    return false;
  }

  /// Memory of another length than a sample is a compile error; that of a length which the compiler
  /// does not know has to say which part of it: `std::span(values).first<784>()`.
  template <typename Sample>
    requires(batch == 1 &&
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
    requires(batch == 1)
  {
    const auto end =
        static_cast<std::ptrdiff_t>(keeps_result ? facts.activation_bytes : facts.output.offset);
    auto* const result = reinterpret_cast<float*>(memory_.data() + end);
    run(sample.data(), result);
    return std::span<const float, result_values>(result, result_values);
  }

 private:
  predictor_of(const std::byte* weights, memory_block memory) : memory_(std::move(memory)) {
    for (std::size_t i = 0; i < facts.operands; ++i) {
      const prediction_operand& operand = program.all_operands[i];
      if (operand.owner == operand_owner::activations) {
        operands_[i] = memory_.data() + operand.offset;
      }
    }
    read_from(weights);
  }

  void read_from(const std::byte* weights) noexcept {
    // No call writes weights, although operands are addresses of anything.
    std::byte* const shared = const_cast<std::byte*>(weights);
    for (std::size_t i = 0; i < facts.operands; ++i) {
      const prediction_operand& operand = program.all_operands[i];
      if (operand.owner == operand_owner::weights) {
        operands_[i] = shared + operand.offset;
      }
    }
  }

  void run(const float* features, float* output) noexcept {
    take(features, output);
    std::int32_t valid = static_cast<std::int32_t>(batch);
    run_context context;
    context.micro_batch_size = static_cast<std::uint32_t>(batch);
    context.valid = &valid;
    for (const prediction_call& row : program.calls()) {
      context.stream = row.stream;
      for (context.step = 0; context.step < row.steps; ++context.step) {
        prediction_functions_of<C>[row.kernel](context, &operands_[row.first_operand], row.scalars);
      }
    }
    give(features, output);
  }

  /// Kernels read the samples where they are, unless rows have to be padded.
  void take(const float* features, float* output) noexcept {
    for (std::size_t i = 0; i < facts.operands; ++i) {
      if (program.all_operands[i].owner == operand_owner::features) {
        operands_[i] = const_cast<float*>(features);
      } else if (program.all_operands[i].owner == operand_owner::output) {
        operands_[i] = output;
      }
    }
    if constexpr (facts.input.owner == operand_owner::activations) {
      constexpr std::size_t stride = layout::row_stride(static_cast<std::int32_t>(sample_values));
      auto* row = reinterpret_cast<float*>(memory_.data() + facts.input.offset);
      for (std::size_t sample = 0; sample < batch; ++sample) {
        std::copy_n(features + sample * sample_values, sample_values, row);
        std::fill_n(row + sample_values, stride - sample_values, 0.0F);
        row += stride;
      }
    }
  }

  /// Kernels write the results where they belong, unless their rows are padded.
  void give([[maybe_unused]] const float* features, float* output) noexcept {
    if constexpr (facts.output.owner != operand_owner::output) {
      constexpr bool passed_on = facts.output.owner == operand_owner::features;
      constexpr std::size_t padded = layout::row_stride(static_cast<std::int32_t>(result_values));
      constexpr std::size_t stride = passed_on ? result_values : padded;
      const float* const rows = passed_on ? features : address(facts.output);
      for (std::size_t sample = 0; sample < batch && output != rows; ++sample) {
        std::copy_n(rows + sample * stride, result_values, output + sample * result_values);
      }
    }
  }

  const float* address(const prediction_operand& operand) const {
    return reinterpret_cast<const float*>(memory_.data() + operand.offset);
  }

  memory_block memory_;
  void* operands_[facts.operands + 1] = {};
};

/// The predictor of a model that is wrong: it takes everything, so that the one sentence about the
/// model stays the only error. It is never linked.
template <typename M, typename C>
class predictor_of<M, C, false> {
 public:
  static constexpr std::size_t batch = 1;
  static constexpr std::size_t sample_values = 1;
  static constexpr std::size_t result_values = 1;
  static constexpr std::size_t bytes = 1;
  static constexpr std::size_t alignment = memory_block::alignment;

  template <typename... Arguments>
  explicit predictor_of(Arguments&&...);

  template <typename... Arguments>
  void use(Arguments&&...) noexcept;

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
template <typename M, typename Batch = micro_batch<1>>
class predictor : public predictor_of<M, compiled_for_inference<M, Batch>,
                                      predictable<compiled_for_inference<M, Batch>>()> {
  using compiled = compiled_for_inference<M, Batch>;
  static_assert(check_predictor<M, Batch>());

 public:
  using predictor_of<M, compiled, predictable<compiled>()>::predictor_of;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
