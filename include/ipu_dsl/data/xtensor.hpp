// SPDX-License-Identifier: MIT
// Opt-in, needs xtensor: data sets from xtensors and back. Included by no other header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xtensor.hpp>
#endif

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/npy_columns.hpp>
#include <ipu_dsl/data/over_arrays.hpp>
#include <ipu_dsl/data/tensor_view.hpp>

namespace ipu_dsl {

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
      throw error("Dimension " + std::to_string(axis + 1) + " of the features is " +
                  std::to_string(extent) + "; samples " +
                  std::string(describe(SampleShape).view()) + " expect " +
                  std::to_string(SampleShape[axis]) + ".");
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

}  // namespace ipu_dsl
