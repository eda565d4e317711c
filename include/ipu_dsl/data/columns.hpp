// SPDX-License-Identifier: MIT
// Data of one input or one target alone, or of weights, from which `zipped` makes a data set.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/column_checks.hpp>
#include <ipu_dsl/data/dataset.hpp>

namespace ipu_dsl {

namespace datasets {

/// Rows of equal length side by side.
template <typename Number, shape RowShape>
class rows {
 public:
  static_assert(RowShape.elements() > 0,
                "ipu_dsl: expected at least one element in a row, got none");

  static constexpr std::size_t elements = static_cast<std::size_t>(RowShape.elements());

  rows() = default;

  explicit rows(std::vector<Number> numbers) : numbers_(std::move(numbers)) {
    if (numbers_.size() % elements != 0) {
      raise_error({"A column of rows ", describe(RowShape), " got ", numbers_.size(),
                   " values; expected a multiple of ", elements, "."});
    }
  }

  std::int64_t size() const { return static_cast<std::int64_t>(numbers_.size() / elements); }

  void copy(std::uint32_t index, Number* to) const {
    std::copy_n(numbers_.data() + index * elements, elements, to);
  }

  const std::vector<Number>& numbers() const { return numbers_; }

 private:
  std::vector<Number> numbers_;
};

/// What becomes no vector of a column's numbers by itself: other numbers, or spans and views of
/// them.
template <typename Given, typename Number>
concept other_than_vector = requires(const Given& of) { of.begin(); } &&
                            !std::convertible_to<const Given&, std::vector<Number>>;

/// What is wrong with them, for the column of this name.
template <fixed_string Column, typename Number, typename Given>
struct numbers_fault_of {
  static constexpr std::string_view number = std::same_as<Number, float>          ? "float"
                                             : std::same_as<Number, std::uint8_t> ? "std::uint8_t"
                                                                                  : "std::int32_t";

  static constexpr problem value = [] {
    problem found = refuse(label("a std::vector<") << number << ">", type_name<Given>(),
                           text<191>("numbers_from<") << number << ">(values) copies any range");
    found.where = Column.view();
    return found;
  }();
};

}  // namespace datasets

/// Floats that are one input of a model: [samples, elements of `RowShape`]. Throws `error` if they
/// do not divide into rows, or one is no finite number and such are not to be kept.
template <shape RowShape>
class feature_column {
 public:
  static constexpr shape sample_shape = RowShape;

  feature_column() = default;

  explicit feature_column(std::vector<float> values, non_finite floats = non_finite::refused)
      : rows_(std::move(values)) {
    if (floats == non_finite::refused) {
      datasets::check_finite(rows_.numbers(), decltype(rows_)::elements,
                             datasets::numbers_of_column("feature_column", RowShape));
    }
  }

  /// Refused with a sentence: other numbers.
  template <datasets::other_than_vector<float> Given>
  explicit feature_column(const Given&, non_finite = non_finite::refused) {
    static_assert(diagnose<datasets::numbers_fault_of<"feature_column", float, Given>>());
  }

  /// How many samples there are.
  std::int64_t size() const { return rows_.size(); }

  /// Writes the row of sample `index` < size() to `row` [elements of `RowShape`].
  void gather(std::uint32_t index, float* row) const { rows_.copy(index, row); }

 private:
  datasets::rows<float, RowShape> rows_;
};

/// Bytes that are one input of uint8, such as grey values: [samples, elements of `RowShape`].
/// Throws `error` if they do not divide into rows.
template <shape RowShape>
class byte_column {
 public:
  static constexpr shape sample_shape = RowShape;

  byte_column() = default;

  explicit byte_column(std::vector<std::uint8_t> bytes) : rows_(std::move(bytes)) {}

  /// Refused with a sentence: other numbers.
  template <datasets::other_than_vector<std::uint8_t> Given>
  explicit byte_column(const Given&) {
    static_assert(diagnose<datasets::numbers_fault_of<"byte_column", std::uint8_t, Given>>());
  }

  /// How many samples there are.
  std::int64_t size() const { return rows_.size(); }

  /// Writes the row of sample `index` < size() to `row` [elements of `RowShape`].
  void gather(std::uint32_t index, std::uint8_t* row) const { rows_.copy(index, row); }

 private:
  datasets::rows<std::uint8_t, RowShape> rows_;
};

/// Integers in [0, Classes) that are one input, such as the numbers of words: [samples, elements of
/// `RowShape`]. Throws `error` for others, and if they do not divide into rows.
template <shape RowShape, std::int32_t Classes>
class index_column {
 public:
  static constexpr shape sample_shape = RowShape;
  static constexpr std::int32_t input_classes = Classes;

  index_column() = default;

  explicit index_column(std::vector<std::int32_t> values) : rows_(std::move(values)) {
    datasets::check_integers(rows_.numbers(), Classes, "Index");
  }

  /// Refused with a sentence: other numbers.
  template <datasets::other_than_vector<std::int32_t> Given>
  explicit index_column(const Given&) {
    static_assert(diagnose<datasets::numbers_fault_of<"index_column", std::int32_t, Given>>());
  }

  /// How many samples there are.
  std::int64_t size() const { return rows_.size(); }

  /// Writes the row of sample `index` < size() to `row` [elements of `RowShape`].
  void gather(std::uint32_t index, std::int32_t* row) const { rows_.copy(index, row); }

 private:
  datasets::rows<std::int32_t, RowShape> rows_;
};

/// Labels in [0, Classes), one target: [samples], or of `label_column<10, shape{steps}>` a label
/// for each position of a sample: [samples, elements of `Positions`]. Throws `error` for others,
/// and if they do not divide into samples.
template <std::int32_t Classes, shape Positions = shape{}>
class label_column {
 public:
  static constexpr std::int32_t classes = Classes;
  static constexpr shape label_shape = Positions;

  label_column() = default;

  explicit label_column(std::vector<std::int32_t> labels) : rows_(std::move(labels)) {
    datasets::check_integers(rows_.numbers(), Classes, "Label");
  }

  /// Refused with a sentence: other numbers.
  template <datasets::other_than_vector<std::int32_t> Given>
  explicit label_column(const Given&) {
    static_assert(diagnose<datasets::numbers_fault_of<"label_column", std::int32_t, Given>>());
  }

  /// How many samples there are.
  std::int64_t size() const { return rows_.size(); }

  /// That of sample `index` < size().
  std::int32_t label(std::uint32_t index) const
    requires(Positions.rank == 0)
  {
    return rows_.numbers()[index];
  }

  /// Writes those of sample `index` < size() to `row` [elements of `Positions`].
  void gather_labels(std::uint32_t index, std::int32_t* row) const
    requires(Positions.rank > 0)
  {
    rows_.copy(index, row);
  }

 private:
  datasets::rows<std::int32_t, Positions> rows_;
};

/// Floats that are one target: [samples, elements of `RowShape`]. Throws as `feature_column` does.
template <shape RowShape>
class target_column {
 public:
  static constexpr shape target_shape = RowShape;

  target_column() = default;

  explicit target_column(std::vector<float> values, non_finite floats = non_finite::refused)
      : rows_(std::move(values)) {
    if (floats == non_finite::refused) {
      datasets::check_finite(rows_.numbers(), decltype(rows_)::elements,
                             datasets::numbers_of_column("target_column", RowShape));
    }
  }

  /// Refused with a sentence: other numbers.
  template <datasets::other_than_vector<float> Given>
  explicit target_column(const Given&, non_finite = non_finite::refused) {
    static_assert(diagnose<datasets::numbers_fault_of<"target_column", float, Given>>());
  }

  /// How many samples there are.
  std::int64_t size() const { return rows_.size(); }

  /// Writes the row of sample `index` < size() to `row` [elements of `RowShape`].
  void gather_target(std::uint32_t index, float* row) const { rows_.copy(index, row); }

 private:
  datasets::rows<float, RowShape> rows_;
};

/// What each sample counts in a loss, or in a metric that asks for it: [samples], or of
/// `weight_column<shape{steps}>` what each position of a sample counts: [samples, elements of
/// `Positions`]. Throws `error` if they do not divide into samples, or one is negative or not
/// finite.
///
///   const auto bids = zipped(feature_column<shape{4}>(offers), target_column<shape{1}>(prices),
///                            weight_column(importance));
template <shape Positions = shape{}>
class weight_column {
 public:
  static constexpr shape weight_shape = Positions;

  weight_column() = default;

  explicit weight_column(std::vector<float> weights) : rows_(std::move(weights)) {
    datasets::check_weights(rows_.numbers());
  }

  /// Refused with a sentence: other numbers.
  template <datasets::other_than_vector<float> Given>
  explicit weight_column(const Given&) {
    static_assert(diagnose<datasets::numbers_fault_of<"weight_column", float, Given>>());
  }

  /// How many samples there are.
  std::int64_t size() const { return rows_.size(); }

  /// Writes what sample `index` < size() counts to `row` [elements of `Positions`].
  void gather_weights(std::uint32_t index, float* row) const { rows_.copy(index, row); }

 private:
  datasets::rows<float, Positions> rows_;
};

weight_column(std::vector<float>) -> weight_column<>;

}  // namespace ipu_dsl
