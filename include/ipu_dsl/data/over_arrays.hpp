// SPDX-License-Identifier: MIT
// Data over arrays that a program has: spans of them are referred to, ranges are copied.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/element_form.hpp>
#include <ipu_dsl/data/sample_reader.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

namespace datasets {

/// Where the source of each column stands among all, which are inputs, then targets, then weights.
template <typename... Columns>
constexpr std::array<std::size_t, sizeof...(Columns)> places_of_columns() {
  using form = element_form<Columns...>;
  std::array<std::size_t, sizeof...(Columns)> places;
  std::size_t column = 0;
  std::size_t input = 0;
  std::size_t target = form::input_count;
  std::size_t weight = form::input_count + form::target_count;
  const auto place = [&](bool is_input, bool is_target) {
    std::size_t& next = is_input ? input : is_target ? target : weight;
    places[column] = next;
    ++next;
    ++column;
  };
  (place(inputs_of<Columns>().size() == 1, targets_of<Columns>().size() == 1), ...);
  return places;
}

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

/// Samples in arrays of somebody's, which must outlive it, of the form of `Columns`.
template <typename... Columns>
class array_dataset {
  using form = element_form<Columns...>;
  static constexpr auto sources = datasets::sources_of<form>();

 public:
  static constexpr auto inputs = form::inputs;
  static constexpr auto targets = form::targets;
  static constexpr auto weights = form::weights;

  using scratch = datasets::no_scratch;

  /// An array for each column, [samples, elements]. Throws `error` if they do not divide into
  /// samples, are not equally many, if an integer is none of its classes, a weight is negative, or
  /// a float is an infinity or NaN and they are not to be kept.
  array_dataset(const std::array<plain_array, sizeof...(Columns)>& given, non_finite floats) {
    constexpr auto places = datasets::places_of_columns<Columns...>();
    for (std::size_t column = 0; column < given.size(); ++column) {
      const std::size_t source = places[column];
      arrays_[source] = given[column];
      check(source, column, floats);
    }
  }

  /// How many samples there are.
  std::int64_t size() const { return size_; }

  /// Nothing.
  scratch make_scratch() const { return {}; }

  /// Copies sample `index` into a row of `to`.
  void read(scratch&, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto bytes =
          static_cast<std::size_t>(sources[i].extents.elements() * bytes_of(sources[i].type));
      std::memcpy(datasets::row_of(to[i], row).first,
                  static_cast<const std::byte*>(arrays_[i].first) + index * bytes, bytes);
    }
  }

 private:
  void check(std::size_t source, std::size_t column, non_finite floats) {
    const auto elements = static_cast<std::size_t>(sources[source].extents.elements());
    const std::string name = "Array " + std::to_string(column);
    if (arrays_[source].count % elements != 0) {
      throw error(name + " has " + std::to_string(arrays_[source].count) +
                  " numbers, which do not divide into samples of " + std::to_string(elements) +
                  ".");
    }
    const auto samples = static_cast<std::int64_t>(arrays_[source].count / elements);
    if (column > 0 && samples != size_) {
      throw error(name + " has " + std::to_string(samples) + " samples, the first " +
                  std::to_string(size_) + ".");
    }
    size_ = samples;
    check_numbers(source, elements, name, floats);
  }

  void check_numbers(std::size_t source, std::size_t elements, const std::string& name,
                     non_finite floats) const {
    const plain_array& numbers = arrays_[source];
    if (numbers.type == dtype::int32) {
      datasets::check_integers({static_cast<const std::int32_t*>(numbers.first), numbers.count},
                               sources[source].classes);
    } else if (numbers.type == dtype::float32) {
      const std::span<const float> values(static_cast<const float*>(numbers.first), numbers.count);
      if (source >= inputs.size() + targets.size()) {
        datasets::check_weights(values, floats);
      } else if (floats == non_finite::refused) {
        datasets::check_finite(values, elements, {" of " + name, "the arrays"});
      }
    }
  }

  std::array<plain_array, sources.size()> arrays_;  // inputs, then targets, then weights
  std::int64_t size_ = 0;
};

/// What is wrong with the arrays of `over_arrays`.
template <typename Form, typename... Numbers>
struct over_arrays_fault_of;

template <typename... Columns, typename... Numbers>
struct over_arrays_fault_of<element_form<Columns...>, Numbers...> {
  template <typename Column, typename Array>
  static constexpr problem find_in() {
    problem found;
    if constexpr (!datasets::is_column<Column>) {
      found = refuse("columns, each of one array", type_name<Column>());
    } else if constexpr (!datasets::holds_column<Column, Array>()) {
      found = refuse(label("an array of ")
                         << name_of(datasets::sources_of<Column>()[0].type) << " for its column",
                     type_name<Array>(),
                     "an array, a span, a vector; numbers_from<float>(range) copies any range");
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
/// Throws `error` if they do not belong together, and for what a column refuses.
template <typename... Columns, typename... Numbers>
auto over_arrays(const Numbers&... numbers) {
  using fault = over_arrays_fault_of<element_form<Columns...>, Numbers...>;
  if constexpr (!fault::value.found()) {
    return array_dataset<Columns...>({arrays::plain(numbers)...}, non_finite::refused);
  } else {
    static_assert(diagnose<fault>());
    return refused_data();
  }
}

namespace datasets {

/// A number as another type, which an integer must fit; `place` is where it stands. Throws `error`
/// if it does not.
template <typename Number, typename From>
Number converted_number(const From& from, std::size_t place) {
  static_assert(
      std::is_arithmetic_v<From> && (std::is_floating_point_v<Number> || std::is_integral_v<From>),
      "ipu_dsl: numbers_from expects a range of numbers, or of ranges of them, and no "
      "floats for integers");
  if constexpr (std::is_integral_v<Number> && !std::is_same_v<From, bool>) {
    if (!std::in_range<Number>(from)) {
      throw error("Number " + std::to_string(place) + " of a range is " + std::to_string(from) +
                  "; expected " + std::to_string((std::numeric_limits<Number>::min)()) + " to " +
                  std::to_string((std::numeric_limits<Number>::max)()) + ".");
    }
  }
  return static_cast<Number>(from);
}

template <typename Number, typename From>
void append_numbers(std::vector<Number>& numbers, const From& from) {
  if constexpr (std::ranges::range<const From>) {
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
template <typename Number, std::ranges::range Range>
std::vector<Number> numbers_from(Range&& range) {
  std::vector<Number> numbers;
  for (const auto& each : range) {
    datasets::append_numbers(numbers, each);
  }
  return numbers;
}

}  // namespace ipu_dsl
