// SPDX-License-Identifier: MIT
// Opt-in, needs xtensor: data sets from xtensors and back; expressions as arrays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xtensor.hpp>
#endif

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/element_form.hpp>
#include <ipu_dsl/data/npy_columns.hpp>
#include <ipu_dsl/data/over_arrays.hpp>
#include <ipu_dsl/data/tensor_view.hpp>

namespace ipu_dsl {

namespace arrays {

template <typename Number, std::size_t Rank, xt::layout_type Layout>
inline constexpr bool holds_numbers<xt::xtensor<Number, Rank, Layout>> = true;

template <typename Number, xt::layout_type Layout>
inline constexpr bool holds_numbers<xt::xarray<Number, Layout>> = true;

}  // namespace arrays

/// Copies features [samples, SampleShape...] and labels [samples] into a data set. The rank is
/// checked by the compiler; throws `error` if the extents differ from `SampleShape`, the counts
/// differ, a label is not in [0, Classes), or a float is an infinity or NaN and they are not to be
/// kept.
template <shape SampleShape, std::int32_t Classes, typename Element, std::size_t Rank>
labelled_dataset<SampleShape, Classes, Element> as_dataset(
    const xt::xtensor<Element, Rank>& features, const xt::xtensor<std::int32_t, 1>& labels,
    non_finite floats = non_finite::refused) {
  static_assert(Rank == static_cast<std::size_t>(SampleShape.rank) + 1,
                "as_dataset expects one dimension more than a sample has: [samples, sample...]");
  for (std::int32_t axis = 0; axis < SampleShape.rank; ++axis) {
    const std::size_t extent = features.shape()[static_cast<std::size_t>(axis) + 1];
    if (extent != static_cast<std::size_t>(SampleShape[axis])) {
      raise_error({"Dimension ", axis + 1, " of the features is ", extent, "; samples ",
                   describe(SampleShape), " expect ", SampleShape[axis], "."});
    }
  }
  return labelled_dataset<SampleShape, Classes, Element>(
      std::vector<Element>(features.begin(), features.end()),
      std::vector<std::int32_t>(labels.begin(), labels.end()), floats);
}

/// A column of an xtensor, a view of one or any expression, [samples, extents...], which is
/// computed once: `column_of<feature_column<shape{2, 3}>>(2 * features)`. Numbers are converted to
/// those of the column. Throws `error` for other extents, an integer that does not fit, and for
/// what the column refuses.
template <typename Column, typename Expression>
Column column_of(const xt::xexpression<Expression>& numbers) {
  constexpr data_source source = datasets::sources_of<Column>()[0];
  const Expression& given = numbers.derived_cast();
  std::vector<std::int64_t> extents;
  for (const auto extent : given.shape()) {
    extents.push_back(static_cast<std::int64_t>(extent));
  }
  datasets::check_rows(extents, source.extents, "The xtensor");
  std::vector<datasets::number_of<source.type>> values;
  for (auto at = given.template begin<xt::layout_type::row_major>();
       at != given.template end<xt::layout_type::row_major>(); ++at) {
    datasets::append_numbers(values, *at);
  }
  return Column(std::move(values));
}

/// The samples of a data set as a session sees them (bytes divided by 255) and their labels:
/// [samples, sample...] and [samples], copies.
template <shape SampleShape, std::int32_t Classes, typename Element>
std::pair<xt::xtensor<float, static_cast<std::size_t>(SampleShape.rank) + 1>,
          xt::xtensor<std::int32_t, 1>>
to_xtensor(const labelled_dataset<SampleShape, Classes, Element>& data) {
  constexpr std::size_t rank = static_cast<std::size_t>(SampleShape.rank) + 1;
  const std::size_t samples = static_cast<std::size_t>(data.size());
  std::array<std::size_t, rank> extents = {samples};
  for (std::size_t axis = 1; axis < rank; ++axis) {
    extents[axis] = static_cast<std::size_t>(SampleShape[static_cast<std::int32_t>(axis) - 1]);
  }
  xt::xtensor<float, rank> features(extents);
  xt::xtensor<std::int32_t, 1> labels(std::array<std::size_t, 1>{samples});
  const std::size_t elements = static_cast<std::size_t>(SampleShape.elements());
  for (std::size_t i = 0; i < samples; ++i) {
    const std::uint32_t index = static_cast<std::uint32_t>(i);
    data.gather(index, features.data() + i * elements);
    labels(i) = data.label(index);
  }
  return {std::move(features), std::move(labels)};
}

/// A batch as `session::predict` takes it; refers to `batch`.
template <std::size_t Rank>
tensor_view<const float, static_cast<int>(Rank)> view_of(const xt::xtensor<float, Rank>& batch) {
  tensor_view<const float, static_cast<int>(Rank)> view;
  view.elements = {batch.data(), batch.size()};
  for (std::size_t axis = 0; axis < Rank; ++axis) {
    view.extents[axis] = static_cast<std::int64_t>(batch.shape()[axis]);
  }
  return view;
}

template <std::size_t Rank>
tensor_view<const float, static_cast<int>(Rank)> view_of(const xt::xtensor<float, Rank>&& batch) =
    delete;

namespace xtensors {

/// As what the numbers of an expression are taken: of the types of a model's arrays the one that is
/// next.
template <typename Number>
constexpr dtype taken_as() {
  if (std::is_floating_point_v<Number>) {
    return dtype::float32;
  }
  return std::is_same_v<Number, std::uint8_t> ? dtype::uint8 : dtype::int32;
}

/// Numbers side by side with their extents.
template <typename Number>
class computed_array {
 public:
  /// Computes an expression once, row by row, its numbers converted. Throws `error` for an integer
  /// that does not fit.
  template <typename Expression>
  explicit computed_array(const Expression& given)
      : extents_(given.shape().begin(), given.shape().end()) {
    numbers_.reserve(given.size());
    for (auto at = given.template begin<xt::layout_type::row_major>();
         at != given.template end<xt::layout_type::row_major>(); ++at) {
      const typename Expression::value_type number = *at;
      numbers_.push_back(datasets::converted_number<Number>(number, numbers_.size()));
    }
  }

  std::span<const Number> numbers() const { return {numbers_.data(), numbers_.size()}; }

  operator std::span<const Number>() const { return numbers(); }

  const std::vector<std::size_t>& shape() const { return extents_; }

 private:
  std::vector<Number> numbers_;
  std::vector<std::size_t> extents_;
};

/// "(3, 4)".
template <typename Expression>
label describe_extents(const Expression& given) {
  label words = "(";
  for (const auto extent : given.shape()) {
    words << (words.view().size() > 1 ? ", " : "") << static_cast<std::int64_t>(extent);
  }
  return words << ")";
}

}  // namespace xtensors

/// Expressions, views, column-major arrays and arrays of other numbers stand where a batch is
/// wanted, `run.train_step(images / 255.0F, xt::view(labels, xt::range(0, 32)))`: they are computed
/// into an array first. Floating point numbers become float, integers but
/// std::uint8_t become std::int32_t. A row-major xtensor of float, std::int32_t or std::uint8_t is
/// a plain array itself and is read where it lies.
template <typename T>
  requires(xt::is_xexpression<T>::value && !plain_numbers<T> &&
           std::is_arithmetic_v<typename T::value_type>)
struct array_conversion<T> {
  static constexpr dtype type = xtensors::taken_as<typename T::value_type>();
  static constexpr std::int32_t rank = [] {
    using extents = std::remove_cvref_t<decltype(std::declval<const T&>().shape())>;
    if constexpr (requires { std::tuple_size<extents>::value; }) {
      return static_cast<std::int32_t>(std::tuple_size<extents>::value);
    } else {
      return -1;
    }
  }();

  static auto converted(const T& given) {
    return xtensors::computed_array<datasets::number_of<type>>(given);
  }
};

}  // namespace ipu_dsl
