// SPDX-License-Identifier: MIT
// Plain arrays for a model of several inputs, targets or outputs: in one call, in their order.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/dtype.hpp>

namespace ipu_dsl {

/// Floats side by side: a vector, an array, a span of them.
template <typename T>
concept array_of_floats = std::convertible_to<const T&, std::span<const float>>;

/// The same of integers.
template <typename T>
concept array_of_integers = std::convertible_to<const T&, std::span<const std::int32_t>>;

/// The same of bytes.
template <typename T>
concept array_of_bytes = std::convertible_to<const T&, std::span<const std::uint8_t>>;

/// What can be an input or a target.
template <typename T>
concept plain_numbers = array_of_floats<T> || array_of_integers<T> || array_of_bytes<T>;

/// How numbers that lie in no plain array become one: what a header of another library specialises
/// (`data/xtensor.hpp`) has
/// - `type`, `rank`: constants; the rank is -1 where the compiler does not know it.
/// - `converted(given)`: a plain array of the type, which knows its extents.
template <typename T>
struct array_conversion;

template <typename T>
concept converted_to_array = requires { array_conversion<T>::type; };

/// Numbers that know their extents, [samples, extents of a sample...], as an xtensor does.
template <typename T>
concept knows_extents = requires(const T& numbers) {
  { numbers.shape().size() } -> std::convertible_to<std::size_t>;
  { numbers.shape()[0] } -> std::convertible_to<std::size_t>;
};

/// Numbers in memory of somebody's.
struct plain_array {
  dtype type = dtype::float32;
  const void* first = nullptr;
  std::size_t count = 0;
};

namespace arrays {

/// An array as a span. A view of an xtensor is a range as well, whose `data()` is where the xtensor
/// begins and not the view.
template <typename Number, typename Numbers>
constexpr std::span<Number> seen(Numbers& numbers) {
  const std::span<Number> all(numbers);
  if constexpr (requires {
                  { numbers.data_offset() } -> std::convertible_to<std::size_t>;
                }) {
    return {all.data() + numbers.data_offset(), all.size()};
  }
  return all;
}

template <array_of_floats Numbers>
plain_array plain(const Numbers& numbers) {
  const auto all = seen<const float>(numbers);
  return {dtype::float32, all.data(), all.size()};
}

template <array_of_integers Numbers>
plain_array plain(const Numbers& numbers) {
  const auto all = seen<const std::int32_t>(numbers);
  return {dtype::int32, all.data(), all.size()};
}

template <array_of_bytes Numbers>
plain_array plain(const Numbers& numbers) {
  const auto all = seen<const std::uint8_t>(numbers);
  return {dtype::uint8, all.data(), all.size()};
}

template <typename Numbers>
constexpr dtype type_of_numbers() {
  if (array_of_floats<Numbers>) {
    return dtype::float32;
  }
  return array_of_bytes<Numbers> ? dtype::uint8 : dtype::int32;
}

/// Arrays of sources; how many numbers a sample has is the model's to say. They are referred to.
template <typename... Numbers>
struct of_sources {
  static constexpr std::size_t count = sizeof...(Numbers);
  static constexpr dtype types[count] = {type_of_numbers<Numbers>()...};

  plain_array each[count];
};

}  // namespace arrays

/// The inputs of a model, each [samples, elements]: `input_arrays{images, words}`. Floats,
/// std::int32_t or std::uint8_t. The arrays are referred to and must outlive the call that they are
/// given to.
template <typename... Numbers>
  requires(plain_numbers<Numbers> && ...)
struct input_arrays : arrays::of_sources<Numbers...> {
  explicit input_arrays(const Numbers&... numbers)
      : arrays::of_sources<Numbers...>{{arrays::plain(numbers)...}} {}
};

/// The same of targets.
template <typename... Numbers>
  requires(plain_numbers<Numbers> && ...)
struct target_arrays : arrays::of_sources<Numbers...> {
  explicit target_arrays(const Numbers&... numbers)
      : arrays::of_sources<Numbers...>{{arrays::plain(numbers)...}} {}
};

/// What samples count, 0 or more, of each loss that asks for it: `weight_arrays{importance}`.
template <array_of_floats... Numbers>
struct weight_arrays : arrays::of_sources<Numbers...> {
  explicit weight_arrays(const Numbers&... numbers)
      : arrays::of_sources<Numbers...>{{arrays::plain(numbers)...}} {}
};

/// Where the outputs of a model are written, each [samples, elements]: `output_arrays{scores,
/// prices}`.
template <typename... Numbers>
  requires(std::convertible_to<Numbers&, std::span<float>> && ...)
struct output_arrays {
  static constexpr std::size_t count = sizeof...(Numbers);

  std::span<float> each[count];

  explicit output_arrays(Numbers&... numbers) : each{arrays::seen<float>(numbers)...} {}
};

}  // namespace ipu_dsl
