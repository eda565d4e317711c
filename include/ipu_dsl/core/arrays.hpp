// SPDX-License-Identifier: MIT
// Plain arrays for a model of several inputs, targets or outputs: in one call, in their order.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/core/type_name.hpp>

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

/// Whether two pieces of memory of so many bytes have one in common.
inline bool overlap(const void* left, std::size_t left_bytes, const void* right,
                    std::size_t right_bytes) noexcept {
  const auto left_begin = reinterpret_cast<std::uintptr_t>(left);
  const auto right_begin = reinterpret_cast<std::uintptr_t>(right);
  return left_begin < right_begin + right_bytes && right_begin < left_begin + left_bytes;
}

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

/// Whether numbers live in an object of this type, and end with it; those of spans and views are
/// somebody's. What is made for another library's arrays (`data/xtensor.hpp`) says so of them.
template <typename Numbers>
inline constexpr bool holds_numbers = false;

template <typename Number, typename Allocator>
inline constexpr bool holds_numbers<std::vector<Number, Allocator>> = true;

template <typename Number, std::size_t Size>
inline constexpr bool holds_numbers<std::array<Number, Size>> = true;

/// Whether an argument that was taken as `Given&&` ends with the call, and its numbers with it.
template <typename Given>
inline constexpr bool ends_with_the_call =
    !std::is_reference_v<Given> && holds_numbers<std::remove_cv_t<Given>>;

/// What is wrong with the arrays of `Arrays`: one that nobody keeps.
template <fixed_string Arrays, typename... Given>
struct unkept_fault_of {
  template <typename Each>
  static constexpr problem find_in() {
    problem found;
    if constexpr (ends_with_the_call<Each>) {
      found = refuse("an array with a name, to which it refers", type_name<Each>(),
                     "nobody keeps it: give it a name");
      found.where = Arrays.view();
    }
    return found;
  }

  static constexpr problem find() {
    problem found;
    for (const problem& each : {find_in<Given>()...}) {
      found = found.found() ? found : each;
    }
    return found;
  }

  static constexpr problem value = find();
};

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
/// given to; one that nobody keeps does not compile.
template <typename... Numbers>
  requires(plain_numbers<Numbers> && ...)
struct input_arrays : arrays::of_sources<Numbers...> {
  template <typename... Given>
    requires(plain_numbers<std::remove_cvref_t<Given>> && ...)
  explicit input_arrays(Given&&... numbers)
      : arrays::of_sources<Numbers...>{{arrays::plain(numbers)...}} {
    static_assert(diagnose<arrays::unkept_fault_of<"input_arrays", Given...>>());
  }
};

template <typename... Given>
input_arrays(Given&&...) -> input_arrays<std::remove_cvref_t<Given>...>;

/// The same of targets.
template <typename... Numbers>
  requires(plain_numbers<Numbers> && ...)
struct target_arrays : arrays::of_sources<Numbers...> {
  template <typename... Given>
    requires(plain_numbers<std::remove_cvref_t<Given>> && ...)
  explicit target_arrays(Given&&... numbers)
      : arrays::of_sources<Numbers...>{{arrays::plain(numbers)...}} {
    static_assert(diagnose<arrays::unkept_fault_of<"target_arrays", Given...>>());
  }
};

template <typename... Given>
target_arrays(Given&&...) -> target_arrays<std::remove_cvref_t<Given>...>;

/// What samples count, 0 or more, of each loss that asks for it: `weight_arrays{importance}`.
template <array_of_floats... Numbers>
struct weight_arrays : arrays::of_sources<Numbers...> {
  template <typename... Given>
    requires(array_of_floats<std::remove_cvref_t<Given>> && ...)
  explicit weight_arrays(Given&&... numbers)
      : arrays::of_sources<Numbers...>{{arrays::plain(numbers)...}} {
    static_assert(diagnose<arrays::unkept_fault_of<"weight_arrays", Given...>>());
  }
};

template <typename... Given>
weight_arrays(Given&&...) -> weight_arrays<std::remove_cvref_t<Given>...>;

/// Where the outputs of a model are written, each [samples, elements]: `output_arrays{scores,
/// prices}`, arrays or spans of floats. They are referred to, as those of the inputs are.
template <typename... Numbers>
  requires(std::convertible_to<Numbers&, std::span<float>> && ...)
struct output_arrays {
  static constexpr std::size_t count = sizeof...(Numbers);

  std::span<float> each[count];

  template <typename... Given>
    requires(std::convertible_to<std::remove_reference_t<Given>&, std::span<float>> && ...)
  explicit output_arrays(Given&&... numbers) : each{arrays::seen<float>(numbers)...} {
    static_assert(diagnose<arrays::unkept_fault_of<"output_arrays", Given...>>());
  }
};

template <typename... Given>
output_arrays(Given&&...) -> output_arrays<std::remove_reference_t<Given>...>;

}  // namespace ipu_dsl
