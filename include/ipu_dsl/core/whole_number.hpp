// SPDX-License-Identifier: MIT
// Numbers as template arguments, of whatever type the user wrote them: read once into values, so
// that one of the wrong type becomes a problem and not a compiler's own error.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/core/type_name.hpp>

namespace ipu_dsl {

/// A whole number, or what is wrong with what stands in its place.
struct whole_number {
  std::int32_t value = 1;
  const problem* fault = nullptr;  ///< none if it is one
};

/// What is expected: "a whole number", or "a whole number as kernel".
template <fixed_string Place>
constexpr label whole_number_as() {
  label expected = "a whole number";
  if (!Place.view().empty()) {
    expected << " as " << Place.view();
  }
  return expected;
}

/// What is wrong with a value of type `T` where a whole number belongs. `Place` names the argument
/// where there are several: `kernel` in `Conv2D<filters, kernel>`.
template <typename T, fixed_string Place = "">
inline constexpr problem not_whole =
    refuse(whole_number_as<Place>(), label("a value of type ") << type_name<T>());

/// Stands for a number that is left out.
struct no_number {};

template <fixed_string Place>
inline constexpr problem not_whole<no_number, Place> = refuse(whole_number_as<Place>(), "none");

inline constexpr problem beyond_int32 =
    refuse("a whole number of at most 2147483647", "one beyond it");

/// Reads `32` of `Dense<32>`; `Place` as in `not_whole`.
template <fixed_string Place = "", typename T>
constexpr whole_number read_whole(const T& value) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    const bool fits = value >= 0 || std::is_unsigned_v<T>
                          ? static_cast<std::uint64_t>(value) <= 0x7FFF'FFFF
                          : static_cast<std::int64_t>(value) >= -0x7FFF'FFFF;
    return fits ? whole_number{static_cast<std::int32_t>(value), nullptr}
                : whole_number{1, &beyond_int32};
  } else {
    return {1, &not_whole<T, Place>};
  }
}

/// The first fault among numbers, or none.
constexpr const problem* first_fault(std::initializer_list<whole_number> numbers) {
  for (const whole_number& number : numbers) {
    if (!is_null(number.fault)) {
      return number.fault;
    }
  }
  return nullptr;
}

/// A number of any kind, or what is wrong with what stands in its place.
struct real_number {
  float value = 0;
  const problem* fault = nullptr;  ///< none if it is one
};

/// What is wrong with a value of type `T` where a number belongs.
template <typename T>
inline constexpr problem not_a_number =
    refuse("a number", label("a value of type ") << type_name<T>());

/// Reads `0.2` of `Dropout<0.2>`, which is the float next to it.
template <typename T>
constexpr real_number real(const T& value) {
  if constexpr (std::is_arithmetic_v<T> && !std::same_as<T, bool>) {
    return {static_cast<float>(value), nullptr};
  } else {
    return {0, &not_a_number<T>};
  }
}

/// What stands where a truth value belongs: "0.5"; what is no number is told by its type.
template <auto Value>
constexpr label written_value() {
  using type = decltype(Value);
  if constexpr (std::floating_point<type>) {
    return label() << static_cast<float>(Value);
  } else if constexpr (std::integral<type>) {
    return label() << static_cast<std::int64_t>(Value);
  } else {
    return label("a value of type ") << type_name<type>();
  }
}

/// What is wrong with `Value` where a truth value belongs.
template <auto Value>
inline constexpr problem not_a_truth_value = refuse("true or false", written_value<Value>());

}  // namespace ipu_dsl
