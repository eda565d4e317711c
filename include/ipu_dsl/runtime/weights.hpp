// SPDX-License-Identifier: MIT
// The weights that predictors share: owned, in the caller's memory, or embedded in the program.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/fixed_length.hpp>
#include <ipu_dsl/core/laid_out_weights.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/runtime/memory_block.hpp>
#include <ipu_dsl/runtime/parameter_shapes.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/runtime/prediction.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What is wrong with a type that predicts no more than it is a model.
template <typename T>
struct predicted_type_fault_of {
  static constexpr problem find() {
    problem found = refuse("a model", type_name<T>());
    found.where = "weights_of and predictor";
    if constexpr (compiled_model<T>) {
      found.hint << "it is compiled for a session: name the model that it was compiled from";
    } else {
      found.hint << "write struct mlp : model<...> {} and take a predictor<mlp>";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Makes one compile error with one sentence if `M` is no model, or a wrong one; always true.
template <typename M>
constexpr bool check_predicted() {
  if constexpr (model_type<M>) {
    return check<compiled_for_inference<M, micro_batch<1>>>();
  } else {
    return refuse_type<M, predicted_type_fault_of<M>>();
  }
}

/// How the weights of a model lie on one device: the same for every batch. Empty for a model that
/// is wrong, so that the one sentence about it stays the only error.
template <typename M>
struct weight_layout {
  using compiled = compiled_for_inference<M, micro_batch<1>>;

  static constexpr bool is_right() {
    if constexpr (model_type<M>) {
      return ipu_dsl::is_valid<compiled>();
    } else {
      return false;
    }
  }

  static constexpr bool right = is_right();

  static constexpr std::size_t count_bytes() {
    if constexpr (right) {
      return static_cast<std::size_t>(weight_bytes_of<compiled>);
    }
    return 0;
  }

  static constexpr list_view<parameter_place> places() {
    if constexpr (right) {
      return parameter_places_of<compiled>.view();
    }
    return {};
  }

  static constexpr std::size_t count_values() {
    std::int64_t sum = 0;
    for (const parameter_place& place : places()) {
      sum += place.stored.extents.elements();
    }
    return static_cast<std::size_t>(sum);
  }

  static constexpr std::size_t bytes = count_bytes();
  static constexpr std::size_t values = count_values();
  static constexpr std::uint64_t shapes = shapes_of(places());

  /// Puts all values, parameter after parameter, each in the order of its shape, where they lie.
  static constexpr void store(std::span<const float> all, std::span<float> stored) {
    for (const parameter_place& place : places()) {
      const auto count = static_cast<std::size_t>(place.stored.extents.elements());
      const std::size_t begin = static_cast<std::size_t>(place.offset) / sizeof(float);
      store_values(place, all.first(count), stored.subspan(begin, place.floats));
      all = all.subspan(count);
    }
  }
};

/// What is wrong with numbers that are to be all the weights of a model, `Count` of them.
template <typename Numbers, std::size_t Count>
struct weight_values_fault_of {
  static constexpr problem find() {
    problem found;
    found.expected << Count << " floats";
    found.got << type_name<Numbers>();
    if constexpr (!fixed_length_range<const Numbers>) {
      found.expected << ", a number that the type tells";
      found.hint << "write std::span(numbers).first<" << Count << ">()";
    } else if constexpr (static_length_of<const Numbers> != Count) {
      found.hint << "all parameters one behind the other; weights_of<...>::values counts them";
    }
    found.where = "the weights";
    return found;
  }

  static constexpr problem value = find();
};

/// The weights of a model, which any number of predictors may read at the same time, with whatever
/// batch. Change them only while none of them runs. Begin as zeros.
///
///   weights_of<mlp> weights;
///   weights.copy_from(run.weights());  // of a session
template <typename M>
class weights_of : private memory_block, public parameters {
  static_assert(check_predicted<M>());

 public:
  /// What `weights_of(memory)` needs; `alignment` says where it has to begin.
  static constexpr std::size_t bytes = weight_layout<M>::bytes;
  static constexpr std::size_t alignment = memory_block::alignment;

  /// Numbers in all parameters together.
  static constexpr std::size_t values = weight_layout<M>::values;

  /// In memory of its own.
  weights_of()
      : memory_block(bytes), parameters(weight_layout<M>::places(), memory_block::data()) {}

  /// In the caller's memory, which must outlive it. Refused with an `error` if that is too small or
  /// begins at no multiple of `alignment`: `memory_fault` asks before.
  explicit weights_of(std::span<std::byte> memory)
      : memory_block(memory, bytes, "weights"),
        parameters(weight_layout<M>::places(), memory_block::data()) {}

  /// Memory whose length the compiler knows and that is too small is a compile error.
  template <fixed_length_range Memory>
    requires(std::convertible_to<Memory, std::span<std::byte>> && static_length_of<Memory> < bytes)
  explicit weights_of(Memory&&) : weights_of(std::span<std::byte>()) {
    static_assert(diagnose<memory_size_fault_of<bytes, static_length_of<Memory>>>());
  }

  /// Why `weights_of(memory)` would be refused, as a sentence; empty if it would not.
  static sentence memory_fault(std::span<const std::byte> memory) noexcept {
    return fault(memory, bytes, "weights");
  }

  weights_of(const weights_of&) = delete;
  weights_of& operator=(const weights_of&) = delete;

  /// Takes all values: parameter after parameter as `name(0)`, `name(1)`, ... count them, each in
  /// the order of its shape. They are copied: kernels want them in panels.
  void assign(std::span<const float, values> all) noexcept {
    weight_layout<M>::store(all, {reinterpret_cast<float*>(memory_block::data()), bytes / 4});
  }

  /// Refused with a sentence: others, or a number of them that the compiler does not know.
  template <typename Numbers>
    requires(!std::convertible_to<const Numbers&, std::span<const float, values>>)
  void assign(const Numbers&) noexcept {
    static_assert(diagnose<weight_values_fault_of<Numbers, values>>());
  }

  /// Where the first one lies.
  const std::byte* data() const { return memory_block::data(); }
};

/// Weights as a constant of the program, laid out for its vector unit by the compiler if it is
/// `constexpr` and small enough for the compiler's limits, else once before it is first used:
///
///   constexpr embedded_weights<mlp> weights{numbers};
template <typename M>
class embedded_weights {
  static_assert(check_predicted<M>());

 public:
  /// The order of the values is that of `weights_of::assign`.
  constexpr explicit embedded_weights(std::span<const float, weight_layout<M>::values> all) {
    weight_layout<M>::store(all, {stored_, weight_layout<M>::bytes / sizeof(float)});
  }

  /// Refused with a sentence, as by `weights_of::assign`.
  template <typename Numbers>
    requires(!std::convertible_to<const Numbers&, std::span<const float, weight_layout<M>::values>>)
  constexpr explicit embedded_weights(const Numbers&) {
    static_assert(diagnose<weight_values_fault_of<Numbers, weight_layout<M>::values>>());
  }

  const std::byte* data() const { return reinterpret_cast<const std::byte*>(stored_); }

 private:
  alignas(memory_block::alignment) float stored_[weight_layout<M>::bytes / sizeof(float) + 1] = {};
};

/// What is wrong with a header of weights for a model, as this program is compiled.
template <model_type M, std::size_t Floats, std::int32_t Lanes, std::int32_t Registers,
          std::uint64_t Shapes>
struct laid_out_fault_of {
  static constexpr problem find() {
    problem found;
    if (!weight_layout<M>::right) {
      return found;
    }
    if (Lanes != layout::native.lanes || Registers != layout::native.registers) {
      found = refuse(unit(layout::native.lanes, layout::native.registers), unit(Lanes, Registers),
                     "write the header for the processor that this program is compiled for, or "
                     "compile it for that of the header");
    } else if (Shapes != weight_layout<M>::shapes ||
               Floats * sizeof(float) != weight_layout<M>::bytes) {
      found = refuse("those of this model's parameters", "weights of other shapes",
                     "write the header again with the weights of this model");
    }
    found.where = "the header of weights";
    return found;
  }

  static constexpr label unit(std::int32_t lanes, std::int32_t registers) {
    return label("weights for ") << registers << " registers of " << lanes << " floats";
  }

  static constexpr problem value = find();
};

/// Where the first weight of a header lies.
template <model_type M, std::size_t Floats, std::int32_t Lanes, std::int32_t Registers,
          std::uint64_t Shapes>
const std::byte* begin_of(const laid_out_weights<Floats, Lanes, Registers, Shapes>& weights) {
  static_assert(diagnose<laid_out_fault_of<M, Floats, Lanes, Registers, Shapes>>());
  return reinterpret_cast<const std::byte*>(weights.stored);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
