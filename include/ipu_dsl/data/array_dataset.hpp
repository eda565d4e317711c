// SPDX-License-Identifier: MIT
// Samples in arrays that a program has, of columns that say what each of them holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/element_form.hpp>
#include <ipu_dsl/data/sample_reader.hpp>

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
      check_array(source, column, floats);
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
  void check_array(std::size_t source, std::size_t column, non_finite floats) {
    const auto elements = static_cast<std::size_t>(sources[source].extents.elements());
    const std::string number = std::to_string(column);
    const std::string name = "Array " + number;
    if (arrays_[source].count % elements != 0) {
      raise_error({name, " has ", arrays_[source].count,
                   " numbers, which do not divide into samples of ", elements,
                   places_of(source).view(), "."});
    }
    const auto samples = static_cast<std::int64_t>(arrays_[source].count / elements);
    if (column > 0 && samples != size_) {
      raise_error({name, " has ", how_many(samples, "sample"), ", the first ", size_,
                   places_of(source).view(), "."});
    }
    size_ = samples;
    check_numbers(source, elements, number, floats);
  }

  /// Of targets that are several a sample, which: people forget what ends a sequence or an image.
  static label places_of(std::size_t source) {
    const bool target = source >= inputs.size() && source < inputs.size() + targets.size();
    if (!target || sources[source].extents.elements() == 1) {
      return {};
    }
    return label(": the loss compares one for each place of ") << describe(sources[source].extents);
  }

  void check_numbers(std::size_t source, std::size_t elements, const std::string& number,
                     non_finite floats) const {
    const plain_array& numbers = arrays_[source];
    if (numbers.type == dtype::int32) {
      datasets::check_integers({static_cast<const std::int32_t*>(numbers.first), numbers.count},
                               sources[source].classes, source < inputs.size() ? "Index" : "Label",
                               "of array " + number);
    } else if (numbers.type == dtype::float32) {
      const std::span<const float> values(static_cast<const float*>(numbers.first), numbers.count);
      if (source >= inputs.size() + targets.size()) {
        datasets::check_weights(values);
      } else if (floats == non_finite::refused) {
        datasets::check_finite(
            values, elements,
            {" of array " + number, "the values of a feature_column, in zipped(...),"});
      }
    }
  }

  std::array<plain_array, sources.size()> arrays_;  // inputs, then targets, then weights
  std::int64_t size_ = 0;
};

}  // namespace ipu_dsl
