// SPDX-License-Identifier: MIT
// Plain arrays as the inputs and targets of a compiled model: whether they are what it takes, and
// as sources of a feed.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/error.hpp>
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
inline constexpr bool is_given_as = plain_numbers<T> || converted_to_array<T>;

template <typename T>
inline constexpr bool is_given_as<tensor_role::weight, T> =
    array_of_floats<T> || converted_to_array<T>;

template <typename... Numbers>
inline constexpr bool is_given_as<tensor_role::input, input_arrays<Numbers...>> = true;

template <typename... Numbers>
inline constexpr bool is_given_as<tensor_role::target, target_arrays<Numbers...>> = true;

template <typename... Numbers>
inline constexpr bool is_given_as<tensor_role::weight, weight_arrays<Numbers...>> = true;

/// Arrays that can be the inputs, the targets or the weights of a batch.
template <typename T, tensor_role Role>
concept arrays_of_role = is_given_as<Role, T>;

/// How many axes numbers have, as far as their type tells; -1 if it does not.
template <typename T>
constexpr std::int32_t rank_of_numbers() {
  if constexpr (converted_to_array<T>) {
    return array_conversion<T>::rank;
  } else if constexpr (knows_extents<T>) {
    using extents = std::remove_cvref_t<decltype(std::declval<const T&>().shape())>;
    if constexpr (requires { std::tuple_size<extents>::value; }) {
      return static_cast<std::int32_t>(std::tuple_size<extents>::value);
    }
  }
  return -1;
}

/// The types of the numbers of arrays.
template <typename Arrays>
constexpr auto types_of_arrays() {
  if constexpr (requires { Arrays::types; }) {
    return std::to_array(Arrays::types);
  } else if constexpr (converted_to_array<Arrays>) {
    return std::array{array_conversion<Arrays>::type};
  } else {
    return std::array{arrays::type_of_numbers<Arrays>()};
  }
}

template <typename... Numbers>
constexpr std::array<std::int32_t, sizeof...(Numbers)> ranks_of_several(
    const arrays::of_sources<Numbers...>*) {
  return {rank_of_numbers<Numbers>()...};
}

/// The ranks of arrays, as far as types tell.
template <typename Arrays>
constexpr auto ranks_of_arrays() {
  if constexpr (requires { Arrays::types; }) {
    return ranks_of_several(static_cast<const Arrays*>(nullptr));
  } else {
    return std::array{rank_of_numbers<Arrays>()};
  }
}

/// What an array of a batch is called.
constexpr const char* name_of_array(tensor_role role, dtype type) {
  if (role == tensor_role::input) {
    return "an input";
  }
  if (role == tensor_role::weight) {
    return "weights";
  }
  return type == dtype::int32 ? "labels" : "targets";
}

/// An array that tells its rank counts the samples by its first axis and has those of a sample
/// behind it; axes of extent 1 may be missing, and there may be one more. A rank of -1 is told by
/// nobody.
constexpr problem check_array_rank(const graph_view& model, tensor_role role, std::int32_t rank,
                                   std::int32_t number = 0) {
  const std::int32_t wanted = model.source(role, number);
  if (wanted < 0 || rank < 0) {
    return {};
  }
  const tensor& source = model.at(wanted);
  const shape& sample = source.extents;
  if (rank > without_unit_extents(sample).rank && rank <= sample.rank + 2) {
    return {};
  }
  problem found =
      refuse(label(name_of_array(role, source.type))
                 << " of rank " << sample.rank + 1 << ": samples x " << describe(sample),
             label("rank ") << rank, "the first axis counts the samples");
  found.where = "the batch";
  return found;
}

/// What is wrong with arrays as the inputs, the targets or the weights of a compiled model.
template <compiled_model C, tensor_role Role, arrays_of_role<Role> Arrays>
constexpr problem find_array_fault() {
  const graph_view model = planned_graph_of<C>.view();
  constexpr auto types = types_of_arrays<Arrays>();
  constexpr auto ranks = ranks_of_arrays<Arrays>();
  problem found = check_array_count(model, Role, static_cast<std::int32_t>(types.size()));
  for (std::size_t i = 0; i < types.size() && !found.found(); ++i) {
    const auto number = static_cast<std::int32_t>(i);
    found = check_array(model, Role, types[i], number);
    if (!found.found()) {
      found = check_array_rank(model, Role, ranks[i], number);
    }
  }
  return found;
}

/// Throws `error` unless an array has the extents [samples, extents of `sample`...]; those of 1 do
/// not matter.
[[gnu::cold]] inline void check_array_extents(list_view<std::size_t> given, const shape& sample) {
  shape known;
  const std::size_t axes = (std::min)(given.size(), std::size_t{shape::max_rank} + 1);
  for (std::size_t axis = 1; axis < axes; ++axis) {
    constexpr std::size_t most = (std::numeric_limits<std::int32_t>::max)();
    known.extents[known.rank] = static_cast<std::int32_t>((std::min)(given[axis], most));
    ++known.rank;
  }
  const bool told = given.size() >= 1 && given.size() == axes;
  if (!told || without_unit_extents(known) != without_unit_extents(sample)) {
    raise_error({"An array of a batch has ", given.size(), " axes, behind that of the samples ",
                 describe(known), "; expected samples ", describe(sample), " side by side."});
  }
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
inline void check_all_weights(list_view<batch_source> sources) {
  for (const batch_source& rows : sources) {
    datasets::check_weights(rows.floats());
  }
}

/// A plain array that was made for one call, and the one source of a batch in it.
template <typename Numbers>
struct owned_rows {
  Numbers numbers;
  std::array<batch_source, 1> rows;

  const batch_source* data() const { return rows.data(); }

  std::size_t size() const { return rows.size(); }
};

/// How a compiled model takes arrays.
template <compiled_model C>
struct model_arrays {
  /// A plain array as the model's only input, target or weights. Throws `error` if it knows its
  /// extents, and they are not those of samples.
  template <tensor_role Role, plain_numbers Numbers>
  static std::array<batch_source, 1> rows_of(const Numbers& numbers) {
    if constexpr (knows_extents<Numbers>) {
      const auto& extents = numbers.shape();
      const std::vector<std::size_t> given(extents.begin(), extents.end());
      check_array_extents(given, extents_of(Role, 0));
    }
    return {batch_source{arrays::plain(numbers), atom_of(Role, 0)}};
  }

  /// The same of numbers that become a plain array here.
  template <tensor_role Role, converted_to_array Given>
  static auto rows_of(const Given& given) {
    auto numbers = array_conversion<Given>::converted(given);
    const auto rows = rows_of<Role>(numbers);
    // What is moved keeps its numbers where they lie.
    return owned_rows<decltype(numbers)>{std::move(numbers), rows};
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

  static consteval shape extents_of(tensor_role role, std::int32_t number) {
    constexpr graph_view model = planned_graph_of<C>.view();
    const std::int32_t found = model.source(role, number);
    return found < 0 ? shape() : model.at(found).extents;
  }
};

}  // namespace ipu_dsl
