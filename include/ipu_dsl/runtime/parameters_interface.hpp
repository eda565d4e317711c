// SPDX-License-Identifier: MIT
// Parameters as people think of them: by layer and name, in [in, out] order.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <ipu_dsl/core/anything.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/update_rule.hpp>
#include <ipu_dsl/plan/program_plan_view.hpp>
#include <ipu_dsl/runtime/parameter_faults.hpp>
#include <ipu_dsl/runtime/parameter_shapes.hpp>
#include <ipu_dsl/runtime/regions.hpp>

namespace ipu_dsl {

/// Of weights in panels, which are a matrix of all extents but the last and the last: where the
/// value lies that has this number in order of the shape.
constexpr std::size_t place_in_panels(const parameter_place& place, std::size_t number) {
  const shape& extents = place.stored.extents;
  const auto units = static_cast<std::size_t>(extents[extents.rank - 1]);
  const std::size_t rows = static_cast<std::size_t>(extents.elements()) / units;
  const auto width = static_cast<std::size_t>(place.panel_width);
  const std::size_t row = number / units;
  const std::size_t unit = number % units;
  return (unit / width * rows + row) * width + unit % width;
}

/// Puts values in the order of a parameter's shape where its kernels want them. What is padding in
/// `stored` must be zero before.
constexpr void store_values(const parameter_place& place, std::span<const float> values,
                            std::span<float> stored) {
  if (place.panel_width == 0) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      stored[i] = values[i];
    }
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    stored[place_in_panels(place, i)] = values[i];
  }
}

/// The values that `store_values` put there, in the order of the parameter's shape.
constexpr void load_values(const parameter_place& place, std::span<const float> stored,
                           std::span<float> values) {
  if (place.panel_width == 0) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = stored[i];
    }
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = stored[place_in_panels(place, i)];
  }
}

/// Reads and writes the parameters and states of a session or of predictors. What goes in and out
/// is copied: inside, weights lie in panels.
class parameters {
 public:
  parameters(list_view<parameter_place> places, const region_set& memory)
      : places_(places), memory_(&memory) {}

  /// The same for parameters that all lie in one piece of memory.
  parameters(list_view<parameter_place> places, std::byte* memory)
      : places_(places), only_memory_(memory) {}

  std::size_t size() const { return places_.size(); }

  /// Tells these names and shapes from others.
  std::uint64_t shapes() const { return shapes_of(places_); }

  /// Throws `error` if there are not that many.
  const tensor& at(std::size_t index) const {
    if (index >= size()) {
      raise_error({"There is no parameter ", index, "; there are ", size(), ", counted from 0."});
    }
    return places_[index].stored;
  }

  /// "logits/kernel"; of what an optimizer keeps "logits/kernel/momentum". Throws `error` if there
  /// are not that many.
  [[gnu::cold]] std::string name(std::size_t index) const;

  /// The parameter that `name` calls so: "logits/kernel". Throws `error` if there is none.
  std::size_t find(std::string_view called) const;

  /// The same where layer and parameter are known apart: ("logits", "kernel").
  std::size_t find(std::string_view layer, std::string_view parameter) const;

  /// Copies a parameter out, in the order of its shape: a kernel is [inputs, units].
  /// Throws `error` if `values` has another size.
  void get(std::size_t index, std::span<float> values) const {
    check_size(index, values.size());
    load_values(places_[index], stored(index), values);
  }

  /// The same by its name: "logits/kernel".
  void get(std::string_view called, std::span<float> values) const { get(find(called), values); }

  /// Throws `error` if a parameter cannot have these values: a variance none below 0. `source` is
  /// the file that has them, if it is one.
  void check_range(std::size_t index, std::span<const float> values,
                   std::string_view source = {}) const {
    if (at(index).non_negative) {
      refuse_negative(index, values, source);
    }
  }

  /// Throws `error` for the first infinity or NaN of values that are about to be written to `path`.
  [[gnu::cold]] void check_savable(std::size_t index, std::span<const float> values,
                                   const std::string& path) const;

  /// Copies a parameter in. Throws `error` if `values` has another size, or is below 0 where that
  /// cannot be; nothing is changed then.
  void set(std::size_t index, std::span<const float> values) {
    check_size(index, values.size());
    check_range(index, values);
    store_values(places_[index], values, stored(index));
  }

  /// The same by its name: "logits/kernel".
  void set(std::string_view called, std::span<const float> values) { set(find(called), values); }

  /// The same of values in braces: `set("logits/bias", {0.5F, -0.5F})`.
  void set(std::size_t index, std::initializer_list<float> values) {
    set(index, std::span<const float>(values.begin(), values.size()));
  }

  void set(std::string_view called, std::initializer_list<float> values) {
    set(find(called), values);
  }

  /// Refused with a sentence: values of another type.
  template <typename Which, typename Values>
    requires(!std::convertible_to<Values&, std::span<const float>>)
  void get(const Which&, Values&&) const {
    static_assert(diagnose<values_fault_of<std::remove_cvref_t<Values>>>());
  }

  template <typename Which, typename Values>
    requires(!std::convertible_to<Values&, std::span<const float>>)
  void set(const Which&, Values&&) {
    static_assert(diagnose<values_fault_of<std::remove_cvref_t<Values>>>());
  }

  template <typename... Given>
    requires(sizeof...(Given) != 2)
  void set(const Given&...) {
    static_assert(diagnose<set_arguments_fault_of<sizeof...(Given)>>());
  }

  /// Refused with a sentence: of parameters that are const. Volatile, because those that are not
  /// have a call that is nearer.
  template <typename Which = anything>
  void set(const anything&, const anything&) const volatile {
    static_assert(diagnose<const_parameters_fault_of<Which>>());
  }

  /// Refused with a sentence: values are copied to where the caller has room for them.
  template <typename Which>
  std::span<float> get(const Which&) const {
    static_assert(diagnose<no_values_fault_of<Which>>());
    return {};
  }

  /// Refused with a sentence: values are copied, there are none to refer to.
  template <typename Which>
  std::span<float> operator[](const Which&) const {
    static_assert(diagnose<brackets_fault_of<Which>>());
    return {};
  }

  /// Refused with a sentence: files are read by who includes what reads them.
  template <typename Path, typename... Rest>
  void load(const Path&, const Rest&...) {
    static_assert(diagnose<weights_file_fault_of<Path>>());
  }

  /// Takes the values of another model's parameters, which must be as many with the same names and
  /// shapes: those that the model was trained with, perhaps. Throws `error` if they are not;
  /// nothing is changed then.
  void copy_from(const parameters& source);

  /// Exchanges every parameter with what is kept of it under a slot's name, if that is kept.
  [[gnu::cold]] void exchange(parameters& kept, std::string_view slot);

  /// Starts every parameter anew. Each draws from a stream of its own; `streams_of_nodes` says
  /// which, and what of a model can change without changing it.
  [[gnu::cold]] void initialize(std::uint64_t seed);

  /// Starts what an optimizer keeps: memory is zero, and some of it begins with something else.
  [[gnu::cold]] void initialize(const optimizer_reference& optimizer);

  /// FNV-1a over the bytes of all values, in order of parameters and of their shapes: equal bits
  /// give equal fingerprints, however the weights lie.
  std::uint64_t fingerprint() const;

 private:
  /// "logits/kernel (32, 10)".
  std::string describe_parameter(std::size_t index) const;

  [[gnu::cold]] void check_size(std::size_t index, std::size_t given) const;

  [[gnu::cold]] void refuse_negative(std::size_t index, std::span<const float> values,
                                     std::string_view source) const;

  std::span<float> stored(std::size_t index) const {
    const parameter_place& place = places_[index];
    std::byte* const region = memory_ != nullptr ? memory_->at(place.region) : only_memory_;
    return {reinterpret_cast<float*>(region + place.offset), place.floats};
  }

  list_view<parameter_place> places_;
  const region_set* memory_ = nullptr;
  std::byte* only_memory_ = nullptr;  ///< where there is no set
};

}  // namespace ipu_dsl
