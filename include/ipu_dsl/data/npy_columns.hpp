// SPDX-License-Identifier: MIT
// Columns of arrays that NumPy wrote: `column_of<feature_column<shape{28, 28}>>(entries,
// "images")`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/element_form.hpp>
#include <ipu_dsl/formats/npy.hpp>
#include <ipu_dsl/formats/npz.hpp>

namespace ipu_dsl {

namespace datasets {

/// What is said of rows where a sample has one number.
inline std::string hint_of_rows(const std::vector<std::int64_t>& row) {
  if (row.size() != 1) {
    return {};
  }
  const std::string count = std::to_string(row[0]);
  return " Hint: target_column<shape{" + count + "}> takes rows of " + count +
         "; a label is the number of its class.";
}

/// Throws `error` unless an array is [samples, extents...]; extents of 1 do not matter.
inline void check_rows(const std::vector<std::int64_t>& extents, const shape& row,
                       const std::string& name) {
  std::vector<std::int64_t> wanted;
  for (std::int32_t axis = 0; axis < row.rank; ++axis) {
    if (row[axis] != 1) {
      wanted.push_back(row[axis]);
    }
  }
  std::vector<std::int64_t> found;
  for (std::size_t axis = 1; axis < extents.size(); ++axis) {
    if (extents[axis] != 1) {
      found.push_back(extents[axis]);
    }
  }
  if (extents.empty() || found != wanted) {
    const std::string given = name + " has the shape " + std::string(npy::describe(extents));
    if (wanted.empty()) {
      raise_error({given, "; expected one number for each sample.", hint_of_rows(found)});
    }
    raise_error({given, "; expected samples ", describe(row), " side by side."});
  }
}

/// The numbers of an array as a column has them; bytes are integers as well.
template <typename Number>
std::vector<Number> column_values(const npy_array& array, const std::string& name) {
  if constexpr (std::same_as<Number, std::int32_t>) {
    if (array.element == dtype::uint8) {
      const std::vector<std::uint8_t> bytes = npy_values<std::uint8_t>(array, name);
      return {bytes.begin(), bytes.end()};
    }
  }
  return npy_values<Number>(array, name);
}

}  // namespace datasets

/// A column of an array [samples, extents...], whose first axis counts the samples: a
/// `feature_column`, `target_column` or `weight_column` of floats, a `byte_column` of bytes, an
/// `index_column` or `label_column` of integers or bytes. `name` is what a sentence calls the
/// array. Throws `error` for another shape or type, and for what the column refuses.
///
///   const npy_array images = read_npy("images.npy");
///   const auto data = zipped(column_of<byte_column<shape{28, 28}>>(images, "images.npy"), ...);
template <typename Column>
Column column_of(const npy_array& array, const std::string& name) {
  constexpr data_source source = datasets::sources_of<Column>()[0];
  datasets::check_rows(array.extents, source.extents, name);
  return Column(datasets::column_values<datasets::number_of<source.type>>(array, name));
}

/// The same of an array of an NPZ file, by its name. Throws `error` as well if there is none of
/// that name, and says which there are.
///
///   const std::vector<npz_entry> file = read_npz("digits.npz");
///   const auto data = zipped(column_of<byte_column<shape{28, 28}>>(file, "images"),
///                            column_of<label_column<10>>(file, "labels"));
template <typename Column>
Column column_of(const std::vector<npz_entry>& file, const std::string& name) {
  const npy_array* const array = find_array(file, name);
  if (array == nullptr) {
    std::string names;
    for (const npz_entry& entry : file) {
      names += (names.empty() ? "" : ", ") + printable(entry.name);
    }
    raise_error({"There is no array ", printable(name), " in the file; it has ",
                 (names.empty() ? "none" : names), "."});
  }
  return column_of<Column>(*array, name);
}

}  // namespace ipu_dsl
