// SPDX-License-Identifier: MIT
// Where in the arrays of a file the values of a parameter are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/core/shape.hpp>

namespace ipu_dsl {

namespace exchange {

using extent_list = std::vector<std::int64_t>;

/// The extents of a parameter.
inline extent_list extents_of(const shape& extents) {
  extent_list made;
  for (std::int32_t axis = 0; axis < extents.rank; ++axis) {
    made.push_back(extents[axis]);
  }
  return made;
}

inline std::int64_t product_of(std::span<const std::int64_t> extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    product *= extent;
  }
  return product;
}

/// One axis of a parameter, or a part of one, and where its indices are found in an array.
struct walked_axis {
  std::int64_t extent = 1;
  std::int64_t stride = 0;               ///< from one index to the next, in elements of the array
  std::vector<std::int64_t> order = {};  ///< which index of the array; empty: the same
};

/// Values of a parameter, in the order of its shape, as elements of an array. Where a parameter has
/// several parts they are summed.
struct array_part {
  std::string array;                   ///< its name in the file
  extent_list extents;                 ///< that the array must have
  std::vector<walked_axis> axes = {};  ///< the last runs fastest
  std::int64_t first = 0;              ///< the element at the origin
  bool regrouped = false;  ///< other extents will do that have the same order of elements
};

/// Whether extents are those that are wanted once neighbours are multiplied: (6, 4, 8) are (6, 32).
/// Extents of 1 say nothing.
inline bool merges_to(std::span<const std::int64_t> got, std::span<const std::int64_t> wanted) {
  std::size_t next = 0;
  for (const std::int64_t extent : wanted) {
    std::int64_t product = 1;
    while (product < extent && next < got.size()) {
      product *= got[next++];
    }
    if (product != extent) {
      return false;
    }
  }
  return product_of(got.subspan(next)) == 1;
}

/// Whether an array of these extents is what a part asks for.
inline bool fits(const array_part& part, std::span<const std::int64_t> got) {
  return part.regrouped
             ? merges_to(got, part.extents)
             : std::equal(got.begin(), got.end(), part.extents.begin(), part.extents.end());
}

/// The whole array in the parameter's own order.
inline array_part as_it_is(std::string array, const shape& extents) {
  return {
      .array = std::move(array), .extents = extents_of(extents), .axes = {{extents.elements(), 1}}};
}

/// The whole array with its axes in another order: axis k of the parameter is axis `from[k]`.
inline array_part permuted(std::string array, const shape& extents,
                           std::initializer_list<std::size_t> from) {
  array_part part{.array = std::move(array), .extents = extent_list(from.size())};
  std::int32_t axis = 0;
  for (const std::size_t source : from) {
    part.extents[source] = extents[axis++];
  }
  for (const std::size_t source : from) {
    const auto behind = std::span(part.extents).subspan(source + 1);
    part.axes.push_back({part.extents[source], product_of(behind)});
  }
  return part;
}

/// The element of the array that a value of the parameter is.
inline std::size_t place_of(const array_part& part, std::size_t number) {
  auto rest = static_cast<std::int64_t>(number);
  std::int64_t place = part.first;
  for (std::size_t axis = part.axes.size(); axis-- > 0;) {
    const walked_axis& walked = part.axes[axis];
    const auto index = static_cast<std::size_t>(rest % walked.extent);
    rest /= walked.extent;
    place += walked.stride *
             (walked.order.empty() ? static_cast<std::int64_t>(index) : walked.order[index]);
  }
  return static_cast<std::size_t>(place);
}

/// Takes the elements that a part names out of its array, which has the extents that it asks for.
inline void take_part(const array_part& part, std::span<const float> array,
                      std::span<float> values) {
  for (std::size_t number = 0; number < values.size(); ++number) {
    values[number] = array[place_of(part, number)];
  }
}

/// Adds them to what another part gave.
inline void add_part(const array_part& part, std::span<const float> array,
                     std::span<float> values) {
  for (std::size_t number = 0; number < values.size(); ++number) {
    values[number] += array[place_of(part, number)];
  }
}

}  // namespace exchange

}  // namespace ipu_dsl
