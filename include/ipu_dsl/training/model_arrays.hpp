// SPDX-License-Identifier: MIT
// Plain arrays as the inputs and targets of a compiled model: whether they are what it takes, and
// as sources of a feed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/data/batch_feed.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>
#include <ipu_dsl/training/data_check.hpp>

namespace ipu_dsl {

/// Whether a type is given as the inputs, the targets or the weights of a batch: one array of
/// numbers, or all that there are.
template <tensor_role Role, typename T>
inline constexpr bool is_given_as = plain_numbers<T>;

template <typename T>
inline constexpr bool is_given_as<tensor_role::weight, T> = array_of_floats<T>;

template <typename... Numbers>
inline constexpr bool is_given_as<tensor_role::input, input_arrays<Numbers...>> = true;

template <typename... Numbers>
inline constexpr bool is_given_as<tensor_role::target, target_arrays<Numbers...>> = true;

template <typename... Numbers>
inline constexpr bool is_given_as<tensor_role::weight, weight_arrays<Numbers...>> = true;

/// Arrays that can be the inputs, the targets or the weights of a batch.
template <typename T, tensor_role Role>
concept arrays_of_role = is_given_as<Role, T>;

/// The types of the numbers of arrays.
template <typename Arrays>
constexpr auto types_of_arrays() {
  if constexpr (requires { Arrays::types; }) {
    return std::to_array(Arrays::types);
  } else {
    return std::array{arrays::type_of_numbers<Arrays>()};
  }
}

/// What is wrong with arrays as the inputs, the targets or the weights of a compiled model.
template <compiled_model C, tensor_role Role, arrays_of_role<Role> Arrays>
constexpr problem find_array_fault() {
  const graph_view model = planned_graph_of<C>.view();
  constexpr auto types = types_of_arrays<Arrays>();
  problem found = check_array_count(model, Role, static_cast<std::int32_t>(types.size()));
  for (std::size_t i = 0; i < types.size() && !found.found(); ++i) {
    found = check_array(model, Role, types[i], static_cast<std::int32_t>(i));
  }
  return found;
}

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
  /// A plain array as the model's only input, target or weights.
  template <tensor_role Role, plain_numbers Numbers>
  static std::array<batch_source, 1> rows_of(const Numbers& numbers) {
    return {batch_source{arrays::plain(numbers), atom_of(Role, 0)}};
  }

  /// Plain arrays as all of them.
  template <tensor_role Role, typename... Numbers>
  static std::array<batch_source, sizeof...(Numbers)> rows_of(
      const arrays::of_sources<Numbers...>& given) {
    return []<std::size_t... I>(const arrays::of_sources<Numbers...>& each,
                                std::index_sequence<I...>) {
      return std::array<batch_source, sizeof...(I)>{
          batch_source{each.each[I], atom_of(Role, I)}...};
    }(given, std::index_sequence_for<Numbers...>());
  }

 private:
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
