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

/// Numbers in memory of somebody's.
struct plain_array {
  dtype type = dtype::float32;
  const void* first = nullptr;
  std::size_t count = 0;
};

namespace arrays {

template <array_of_floats Numbers>
plain_array plain(const Numbers& numbers) {
  const std::span<const float> all(numbers);
  return {dtype::float32, all.data(), all.size()};
}

template <array_of_integers Numbers>
plain_array plain(const Numbers& numbers) {
  const std::span<const std::int32_t> all(numbers);
  return {dtype::int32, all.data(), all.size()};
}

/// Arrays of sources; how many numbers a sample has is the model's to say. They are referred to.
template <typename... Numbers>
struct of_sources {
  static constexpr std::size_t count = sizeof...(Numbers);
  static constexpr dtype types[count] = {array_of_floats<Numbers> ? dtype::float32
                                                                  : dtype::int32...};

  plain_array each[count];
};

}  // namespace arrays

/// The inputs of a model, each [samples, elements]: `input_arrays{images, words}`. Floats, or
/// std::int32_t. The arrays are referred to and must outlive the call that they are given to.
template <typename... Numbers>
  requires((array_of_floats<Numbers> || array_of_integers<Numbers>) && ...)
struct input_arrays : arrays::of_sources<Numbers...> {
  explicit input_arrays(const Numbers&... numbers)
      : arrays::of_sources<Numbers...>{{arrays::plain(numbers)...}} {}
};

/// The same of targets.
template <typename... Numbers>
  requires((array_of_floats<Numbers> || array_of_integers<Numbers>) && ...)
struct target_arrays : arrays::of_sources<Numbers...> {
  explicit target_arrays(const Numbers&... numbers)
      : arrays::of_sources<Numbers...>{{arrays::plain(numbers)...}} {}
};

/// What samples count, of each loss that asks for it: `weight_arrays{importance}`.
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

  explicit output_arrays(Numbers&... numbers) : each{std::span<float>(numbers)...} {}
};

}  // namespace ipu_dsl
