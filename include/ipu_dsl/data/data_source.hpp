// SPDX-License-Identifier: MIT
// What data are: concepts, and what their types tell of inputs and targets.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/shape.hpp>

namespace ipu_dsl {

/// Data that tell of every sample its class:
/// - `classes`: a constant; the label of every sample lies in [0, classes).
/// - `label(index)`: its class.
template <typename T>
concept tells_labels = requires(const T& data, std::uint32_t index) {
  { T::classes } -> std::convertible_to<std::int32_t>;
  { data.label(index) } -> std::same_as<std::int32_t>;
};

/// Data that tell of every sample a label for each of its positions:
/// - `classes`, `label_shape`: constants.
/// - `gather_labels(index, row)`: writes `label_shape.elements()` labels side by side.
template <typename T>
concept tells_label_rows = requires(const T& data, std::uint32_t index, std::int32_t* row) {
  { T::classes } -> std::convertible_to<std::int32_t>;
  requires std::same_as<std::remove_cvref_t<decltype(T::label_shape)>, shape>;
  { data.gather_labels(index, row) } -> std::same_as<void>;
};

/// Data that tell of every sample the floats that should come out:
/// - `target_shape`: a constant.
/// - `gather_target(index, row)`: writes `target_shape.elements()` values side by side.
template <typename T>
concept tells_targets = requires(const T& data, std::uint32_t index, float* row) {
  requires std::same_as<std::remove_cvref_t<decltype(T::target_shape)>, shape>;
  { data.gather_target(index, row) } -> std::same_as<void>;
};

/// Data that are a target of a model.
template <typename T>
concept tells_what_is_wanted = tells_labels<T> || tells_label_rows<T> || tells_targets<T>;

/// Data that tell of every sample what it counts in a loss:
/// - `weight_shape`: a constant, `shape{}` of one weight, or that of the positions which have one.
/// - `gather_weights(index, row)`: writes `weight_shape.elements()` values side by side.
template <typename T>
concept tells_weights = requires(const T& data, std::uint32_t index, float* row) {
  requires std::same_as<std::remove_cvref_t<decltype(T::weight_shape)>, shape>;
  { data.gather_weights(index, row) } -> std::same_as<void>;
};

/// Data whose samples are integers.
template <typename T>
concept gathers_integers = requires(const T& data, std::uint32_t index, std::int32_t* row) {
  { data.gather(index, row) } -> std::same_as<void>;
  { T::input_classes } -> std::convertible_to<std::int32_t>;
};

/// Data whose samples are bytes, for an input of uint8.
template <typename T>
concept gathers_bytes = requires(const T& data, std::uint32_t index, std::uint8_t* row) {
  { data.gather(index, row) } -> std::same_as<void>;
};

template <typename T>
concept gathers_floats = requires(const T& data, std::uint32_t index, float* row) {
  { data.gather(index, row) } -> std::same_as<void>;
};

/// Data whose samples are one input of a model:
/// - `sample_shape`: a constant.
/// - `gather(index, row)`: writes `sample_shape.elements()` values, one sample, side by side:
///   floats, integers in [0, input_classes), or bytes.
template <typename T>
concept tells_samples = requires {
  requires std::same_as<std::remove_cvref_t<decltype(T::sample_shape)>, shape>;
  requires gathers_floats<T> || gathers_integers<T> || gathers_bytes<T>;
};

/// One input or target that data give, as their type says it.
struct data_source {
  shape extents;  ///< of a sample
  dtype type = dtype::float32;
  std::int32_t classes = 0;  ///< integers lie in [0, classes)
};

/// Data of any number of inputs and targets:
/// - `inputs`, `targets`: constant arrays of `data_source`; `weights`, if samples have such.
/// - `gather_source(source, index, to, row)`: writes what is given of sample `index` as source
///   number `source`, inputs first, weights last, into a row of `to`.
template <typename T>
concept gathers_sources = requires(const T& data, std::uint32_t index, const source_rows& to) {
  { T::inputs.size() + T::targets.size() } -> std::same_as<std::size_t>;
  { data.gather_source(std::size_t{0}, index, to, 0) } -> std::same_as<void>;
};

/// Data whose type says what they give of a sample: see `gathers_sources`.
template <typename T>
concept names_sources = requires {
  { T::inputs.size() + T::targets.size() } -> std::same_as<std::size_t>;
};

/// The same, read sample by sample by whoever has room for what lies between: data that are made of
/// other data.
/// - `make_scratch()`: that room, a `scratch`. It is all that reading allocates.
/// - `read(scratch, index, to, row)`: writes sample `index` into a row of the first sources, as
/// many
///   as `to` has.
template <typename T>
concept reads_samples =
    names_sources<T> && requires(const T& data, typename T::scratch& room, std::uint32_t index,
                                 std::span<const source_rows> to) {
      { data.make_scratch() } -> std::same_as<typename T::scratch>;
      { data.read(room, index, to, std::int32_t{0}) } -> std::same_as<void>;
    };

/// Samples that can be picked one by one:
/// - `size()`: how many samples there are.
/// - samples, and what they should become, a label or floats; or any number of both. What they
///   count as well, if they do not all count alike.
template <typename T>
concept dataset = requires(const T& data) {
  { data.size() } -> std::same_as<std::int64_t>;
  requires gathers_sources<T> || reads_samples<T> || (tells_samples<T> && tells_what_is_wanted<T>);
};

namespace datasets {

/// The input that data are.
template <tells_samples Data>
constexpr data_source input_of() {
  if constexpr (gathers_integers<Data>) {
    return {Data::sample_shape, dtype::int32, Data::input_classes};
  } else if constexpr (gathers_bytes<Data>) {
    return {Data::sample_shape, dtype::uint8};
  } else {
    return {.extents = Data::sample_shape};
  }
}

/// The target that data tell.
template <tells_what_is_wanted Data>
constexpr data_source target_of() {
  if constexpr (tells_labels<Data>) {
    return {{}, dtype::int32, Data::classes};
  } else if constexpr (tells_label_rows<Data>) {
    return {Data::label_shape, dtype::int32, Data::classes};
  } else {
    return {.extents = Data::target_shape};
  }
}

/// What data give of every sample: inputs.
template <typename Data>
constexpr auto inputs_of() {
  if constexpr (names_sources<Data>) {
    return Data::inputs;
  } else if constexpr (tells_samples<Data>) {
    return std::array{input_of<Data>()};
  } else {
    return std::array<data_source, 0>();
  }
}

/// The same of targets.
template <typename Data>
constexpr auto targets_of() {
  if constexpr (names_sources<Data>) {
    return Data::targets;
  } else if constexpr (tells_what_is_wanted<Data>) {
    return std::array{target_of<Data>()};
  } else {
    return std::array<data_source, 0>();
  }
}

/// The same of weights of samples.
template <typename Data>
constexpr auto weight_sources_of() {
  if constexpr (requires { Data::weights.size(); }) {
    return Data::weights;
  } else if constexpr (tells_weights<Data>) {
    return std::array{data_source{.extents = Data::weight_shape}};
  } else {
    return std::array<data_source, 0>();
  }
}

/// Inputs, then targets, then weights.
template <typename Data>
constexpr auto sources_of() {
  constexpr auto inputs = inputs_of<Data>();
  constexpr auto targets = targets_of<Data>();
  constexpr auto weights = weight_sources_of<Data>();
  std::array<data_source, inputs.size() + targets.size() + weights.size()> all;
  std::size_t count = 0;
  const auto add = [&](const auto& told) {
    for (const data_source& source : told) {
      all[count] = source;
      ++count;
    }
  };
  add(inputs);
  add(targets);
  add(weights);
  return all;
}

/// Writes sample `index` into a row.
template <tells_samples Data>
void gather_input(const Data& data, std::uint32_t index, const source_rows& to, std::int32_t row) {
  if constexpr (gathers_integers<Data>) {
    data.gather(index, to.integers(row).data());
  } else if constexpr (gathers_bytes<Data>) {
    data.gather(index, to.bytes(row).data());
  } else {
    data.gather(index, to.floats(row).data());
  }
}

/// Writes what sample `index` should become into a row.
template <typename Data>
void gather_target(const Data& data, std::uint32_t index, const source_rows& to, std::int32_t row) {
  if constexpr (tells_labels<Data>) {
    to.integers(row)[0] = data.label(index);
  } else if constexpr (tells_label_rows<Data>) {
    data.gather_labels(index, to.integers(row).data());
  } else {
    data.gather_target(index, to.floats(row).data());
  }
}

}  // namespace datasets

}  // namespace ipu_dsl
