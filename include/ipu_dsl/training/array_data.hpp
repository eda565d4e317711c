// SPDX-License-Identifier: MIT
// Plain arrays as the data of a compiled model, whose sources say what each of them holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/data/array_dataset.hpp>
#include <ipu_dsl/data/batch_feed.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>

namespace ipu_dsl {

namespace array_columns {

/// The column of an input, a target or weights.
template <tensor_role Role, dtype Type, shape Extents, std::int32_t Classes>
struct made_of {
  using type = weight_column<Extents>;
};

template <shape Extents, std::int32_t Classes>
struct made_of<tensor_role::input, dtype::float32, Extents, Classes> {
  using type = feature_column<Extents>;
};

template <shape Extents, std::int32_t Classes>
struct made_of<tensor_role::input, dtype::uint8, Extents, Classes> {
  using type = byte_column<Extents>;
};

template <shape Extents, std::int32_t Classes>
struct made_of<tensor_role::input, dtype::int32, Extents, Classes> {
  using type = index_column<Extents, Classes>;
};

template <shape Extents, std::int32_t Classes>
struct made_of<tensor_role::target, dtype::float32, Extents, Classes> {
  using type = target_column<Extents>;
};

template <shape Extents, std::int32_t Classes>
struct made_of<tensor_role::target, dtype::int32, Extents, Classes> {
  using type = label_column<Classes, Extents>;
};

/// A source of a compiled model.
template <compiled_model C, tensor_role Role, std::size_t Number>
inline constexpr tensor source_of =
    planned_graph_of<C>.view().at(planned_graph_of<C>.view().source(Role, Number));

template <compiled_model C, tensor_role Role, std::size_t Number>
using column =
    typename made_of<Role, source_of<C, Role, Number>.type, source_of<C, Role, Number>.extents,
                     source_of<C, Role, Number>.classes>::type;

/// How many sources of a role there are.
template <compiled_model C, tensor_role Role>
using numbers_of =
    std::make_index_sequence<static_cast<std::size_t>(planned_graph_of<C>.view().count(Role))>;

template <compiled_model C, std::size_t... Input, std::size_t... Target, std::size_t... Weight>
auto dataset_of_sources(std::index_sequence<Input...>, std::index_sequence<Target...>,
                        std::index_sequence<Weight...>)
    -> array_dataset<column<C, tensor_role::input, Input>...,
                     column<C, tensor_role::target, Target>...,
                     column<C, tensor_role::weight, Weight>...>;

}  // namespace array_columns

/// The data that arrays are to a compiled model: inputs, targets and what samples count.
template <compiled_model C>
using array_data = decltype(array_columns::dataset_of_sources<C>(
    array_columns::numbers_of<C, tensor_role::input>(),
    array_columns::numbers_of<C, tensor_role::target>(),
    array_columns::numbers_of<C, tensor_role::weight>()));

/// Arrays as data, as many as the model takes. They are referred to and must outlive it. Throws
/// `error` if they do not divide into samples or are not equally many, for an integer that is no
/// class, a negative weight, an infinity or a NaN.
template <compiled_model C>
array_data<C> make_array_data(list_view<batch_source> inputs, list_view<batch_source> targets,
                              list_view<batch_source> weights) {
  constexpr graph_view model = planned_graph_of<C>.view();
  constexpr auto count =
      static_cast<std::size_t>(model.count(tensor_role::input) + model.count(tensor_role::target) +
                               model.count(tensor_role::weight));
  std::array<plain_array, count> all;
  std::size_t place = 0;
  for (const list_view<batch_source>& role : {inputs, targets, weights}) {
    for (const batch_source& each : role) {
      all[place] = {each.form.type, each.first, each.count};
      ++place;
    }
  }
  return {all, non_finite::refused};
}

}  // namespace ipu_dsl
