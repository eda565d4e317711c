// SPDX-License-Identifier: MIT
// Data over arrays that a program has: spans of them are referred to, ranges are copied.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/array_dataset.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/element_form.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

namespace datasets {

/// Whether a column gives one source.
template <typename Column>
inline constexpr bool is_column = sources_of<Column>().size() == 1;

/// Whether an array holds the numbers of a column.
template <typename Column, typename Numbers>
constexpr bool holds_column() {
  if constexpr (!is_column<Column> || !plain_numbers<Numbers>) {
    return false;
  } else {
    return arrays::type_of_numbers<Numbers>() == sources_of<Column>()[0].type;
  }
}

}  // namespace datasets

/// What is wrong with the arrays of `over_arrays`.
template <typename Form, typename... Numbers>
struct over_arrays_fault_of;

template <typename... Columns, typename... Numbers>
struct over_arrays_fault_of<element_form<Columns...>, Numbers...> {
  template <typename Column, typename Given>
  static constexpr problem find_in() {
    using Array = std::remove_cvref_t<Given>;
    problem found;
    if constexpr (!datasets::is_column<Column>) {
      found = refuse("columns, each of one array", type_name<Column>());
    } else if constexpr (!datasets::holds_column<Column, Array>()) {
      found = refuse(label("an array of ")
                         << name_of(datasets::sources_of<Column>()[0].type) << " for its column",
                     type_name<Array>(),
                     "an array, a span, a vector; numbers_from<float>(range) copies any range");
    } else if constexpr (arrays::ends_with_the_call<Given>) {
      found = refuse("an array with a name, which outlives the data", type_name<Array>(),
                     "nobody keeps it: give it a name, or give it to a column, which owns its "
                     "numbers, as in zipped(feature_column<shape{20}>(...), label_column<3>(...))");
    }
    return found;
  }

  static constexpr problem find() {
    problem found;
    if constexpr (sizeof...(Columns) != sizeof...(Numbers)) {
      found = refuse(label() << sizeof...(Columns) << " arrays, one for each column",
                     label() << sizeof...(Numbers));
    } else {
      for (const problem& each : {find_in<Columns, Numbers>()...}) {
        found = found.found() ? found : each;
      }
    }
    found.where = "over_arrays";
    return found;
  }

  static constexpr problem value = find();
};

/// A data set over arrays, which stay where they are and must outlive it; an array, a span or a
/// vector for each column, [samples, elements]:
///
///   const auto data = over_arrays<feature_column<shape{20}>, label_column<3>>(features, labels);
///
/// Throws `error` if they do not belong together, and for what a column refuses. A vector that
/// nobody keeps does not compile.
template <typename... Columns, typename... Numbers>
auto over_arrays(Numbers&&... numbers) {
  using fault = over_arrays_fault_of<element_form<Columns...>, Numbers...>;
  if constexpr (!fault::value.found()) {
    return array_dataset<Columns...>({arrays::plain(numbers)...}, non_finite::refused);
  } else {
    static_assert(diagnose<fault>());
    return refused_data();
  }
}

namespace datasets {

/// What a loop walks over. The header <ranges>, which has a concept for it, cannot be read where
/// min is a macro.
template <typename T>
concept can_be_walked = requires(T& all) {
  std::begin(all);
  std::end(all);
};

/// A number as another type, which it must fit, NaN and infinities aside; `place` is where it
/// stands. Throws `error` if it does not.
template <typename Number, typename From>
Number converted_number(const From& from, std::size_t place) {
  static_assert(
      std::is_arithmetic_v<From> && (std::is_floating_point_v<Number> || std::is_integral_v<From>),
      "ipu_dsl: numbers_from expects a range of numbers, or of ranges of them, and no "
      "floats for integers");
  if constexpr (std::is_integral_v<Number> && !std::is_same_v<From, bool>) {
    if (!std::in_range<Number>(from)) {
      raise_error({"Number ", place, " of a range is ", from, "; expected ",
                   (std::numeric_limits<Number>::min)(), " to ",
                   (std::numeric_limits<Number>::max)(), "."});
    }
  }
  const auto made = static_cast<Number>(from);
  if constexpr (std::is_floating_point_v<From> && sizeof(From) > sizeof(Number)) {
    if (std::isinf(made) && std::isfinite(from)) {
      raise_error({"Number ", place, " of a range is beyond float; expected -3.4e38 to 3.4e38."});
    }
  }
  return made;
}

template <typename Number, typename From>
void append_numbers(std::vector<Number>& numbers, const From& from) {
  if constexpr (can_be_walked<const From>) {
    for (const auto& each : from) {
      append_numbers(numbers, each);
    }
  } else {
    numbers.push_back(converted_number<Number>(from, numbers.size()));
  }
}

}  // namespace datasets

/// The numbers of any range, one behind the other: of a view, of arrays in arrays, of an expression
/// of xtensor. They are what columns and data sets are made of:
///
///   const auto data = zipped(feature_column<shape{2}>(numbers_from<float>(points)),
///                            label_column<3>(numbers_from<std::int32_t>(kinds |
///                            std::views::...)));
///
/// Throws `error` for an integer that does not fit. A view that can only be walked once is moved
/// in.
template <typename Number, datasets::can_be_walked Range>
std::vector<Number> numbers_from(Range&& range) {
  std::vector<Number> numbers;
  for (const auto& each : range) {
    datasets::append_numbers(numbers, each);
  }
  return numbers;
}

}  // namespace ipu_dsl
