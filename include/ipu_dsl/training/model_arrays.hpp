// SPDX-License-Identifier: MIT
// Plain arrays as the inputs and targets of a compiled model: whether they are what it takes, and
// as sources of a feed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/data/batch_feed.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>
#include <ipu_dsl/training/data_check.hpp>

namespace ipu_dsl {

/// What is wrong with arrays of these types, as inputs or as targets of a compiled model.
template <compiled_model C, tensor_role Role, dtype... Given>
struct array_fault_of {
  static constexpr problem find() {
    const graph_view model = planned_graph_of<C>.view();
    problem found = check_array_count(model, Role, static_cast<std::int32_t>(sizeof...(Given)));
    std::int32_t number = 0;
    for (const dtype given : std::initializer_list<dtype>{Given...}) {
      if (!found.found()) {
        found = check_array(model, Role, given, number);
      }
      ++number;
    }
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a number of outputs.
template <compiled_model C, std::size_t Given>
struct output_count_fault_of {
  static constexpr problem value = check_output_count(planned_graph_of<C>.view(), Given);
};

/// Throws `error` for the first float that is none.
inline void check_all_finite(list_view<batch_source> sources) {
  for (const batch_source& rows : sources) {
    if (rows.form.type == dtype::float32) {
      datasets::check_finite(rows.floats(), static_cast<std::size_t>(rows.form.elements));
    }
  }
}

/// Throws `error` for the first weight that is none: see `datasets::check_weights`.
inline void check_all_weights(list_view<batch_source> sources, non_finite floats) {
  for (const batch_source& rows : sources) {
    datasets::check_weights(rows.floats(), floats);
  }
}

/// How a compiled model takes arrays.
template <compiled_model C>
struct model_arrays {
  /// A plain array as the model's only input or target, if it has its type.
  template <tensor_role Role>
  static std::array<batch_source, 1> rows_of(std::span<const float> numbers) {
    static_assert(check_array_of<Role, dtype::float32>());
    return {batch_source(numbers, atom_of(Role, 0).elements)};
  }

  template <tensor_role Role>
  static std::array<batch_source, 1> rows_of(std::span<const std::int32_t> numbers) {
    static_assert(check_array_of<Role, dtype::int32>());
    constexpr source_form form = atom_of(Role, 0);
    return {batch_source(numbers, form.elements, form.classes)};
  }

  template <tensor_role Role>
  static std::array<batch_source, 1> rows_of(std::span<const std::uint8_t> bytes) {
    static_assert(check_array_of<Role, dtype::uint8>());
    return {batch_source(bytes, atom_of(Role, 0).elements)};
  }

  /// Plain arrays as all inputs or targets.
  template <tensor_role Role, typename... Numbers>
  static std::array<batch_source, sizeof...(Numbers)> rows_of(
      const arrays::of_sources<Numbers...>& given) {
    return []<std::size_t... I>(const arrays::of_sources<Numbers...>& each,
                                std::index_sequence<I...>) {
      using type = arrays::of_sources<Numbers...>;
      static_assert(diagnose<array_fault_of<C, Role, type::types[I]...>>());
      return std::array<batch_source, sizeof...(I)>{
          batch_source{each.each[I], atom_of(Role, I)}...};
    }(given, std::index_sequence_for<Numbers...>());
  }

 private:
  /// Where one array is too few for the inputs, nothing is said of the targets.
  template <tensor_role Role, dtype Given>
  static consteval bool check_array_of() {
    constexpr graph_view model = planned_graph_of<C>.view();
    if constexpr (Role != tensor_role::input && model.count(tensor_role::input) > 1) {
      return true;
    } else {
      return diagnose<array_fault_of<C, Role, Given>>();
    }
  }

  /// An input or a target; of what there is not, about which there is an error already, one number.
  static consteval source_form atom_of(tensor_role role, std::int32_t number) {
    constexpr graph_view model = planned_graph_of<C>.view();
    const std::int32_t found = model.source(role, number);
    if (found < 0) {
      return {.elements = 1};
    }
    const tensor& atom = model.at(found);
    return {atom.type, atom.extents.elements(), atom.classes};
  }
};

}  // namespace ipu_dsl
