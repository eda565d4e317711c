// SPDX-License-Identifier: MIT
// NPY, NumPy's format of one array.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/npy_conversion.hpp>
#include <ipu_dsl/formats/npy_header.hpp>

namespace ipu_dsl {

/// An array in C order, lowest byte first.
struct npy_array {
  dtype element = dtype::float32;
  std::vector<std::int64_t> extents;  ///< empty for a scalar
  std::vector<std::uint8_t> bytes;    ///< the product of `extents`, times the size of an element

  friend bool operator==(const npy_array&, const npy_array&) = default;
};

/// What an array of `T` is called in a file: float, std::int32_t or std::uint8_t.
template <typename T>
constexpr dtype dtype_of() {
  static_assert(
      std::same_as<T, float> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint8_t>,
      "an NPY array holds float, std::int32_t or std::uint8_t");
  if constexpr (std::same_as<T, float>) {
    return dtype::float32;
  } else if constexpr (std::same_as<T, std::int32_t>) {
    return dtype::int32;
  } else {
    return dtype::uint8;
  }
}

/// Copies `values`, in C order, into an array of these extents. Throws `error` if their number
/// does not match.
template <typename T>
npy_array make_npy(std::span<const T> values, const std::vector<std::int64_t>& extents) {
  npy_array made = {dtype_of<T>(), extents, {}};
  if (npy::element_count(extents, "The array") != values.size()) {
    raise_error({"An array ", npy::describe(extents), " cannot hold ", values.size(), " values."});
  }
  made.bytes.resize(values.size_bytes());
  if (!values.empty()) {
    std::memcpy(made.bytes.data(), values.data(), values.size_bytes());
  }
  return made;
}

/// What a file may hold where its elements are read as these.
constexpr std::string_view kinds_read_as(dtype element) {
  switch (element) {
    case dtype::float32:
      return "float32 or float64";
    case dtype::int32:
      return "int32 or int64";
    case dtype::uint8:
    case dtype::float64:
      break;
  }
  return name_of(element);
}

/// The elements of an array in C order. Throws `error` if they are of another type; `name` is what
/// the sentence calls the array.
template <typename T>
std::vector<T> npy_values(const npy_array& array, const std::string& name) {
  if (array.element != dtype_of<T>()) {
    raise_error({name, " holds ", kinds_read_as(array.element), "; expected ",
                 name_of(dtype_of<T>()), ". Hint: save array.astype(\"", name_of(dtype_of<T>()),
                 "\")."});
  }
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (!values.empty()) {
    std::memcpy(values.data(), array.bytes.data(), values.size() * sizeof(T));
  }
  return values;
}

/// The bytes of an NPY file, version 1.0. Throws `error` if the array has so many dimensions
/// (thousands) that this version cannot say it.
inline std::vector<std::uint8_t> npy_bytes(const npy_array& array) {
  std::vector<std::uint8_t> bytes = npy::header_bytes(array.element, array.extents);
  append_bytes(bytes, array.bytes.data(), array.bytes.size());
  return bytes;
}

/// Parses the bytes of an NPY file, version 1.0 or 2.0. What this library has no type or order for
/// is converted: Fortran order to C order, bytes highest first to lowest first, float64 to the
/// nearest float32, int64 to int32. `name` is what the sentences call it. Throws `error` if
/// anything about it is wrong, or if a number is too large for its new type.
inline npy_array parse_npy(std::span<const std::uint8_t> bytes, const std::string& name) {
  const npy::array_in_file found = npy::find_array(bytes, name);
  const npy::file_extents& extents = found.header.extents;
  npy_array parsed = {found.header.stored.element,
                      {extents.values, extents.values + extents.rank},
                      std::vector<std::uint8_t>(found.kept_bytes())};
  npy::convert(found, name, parsed.bytes.data());
  return parsed;
}

/// Reads the NPY file at `path`. Throws `error` if it is missing or anything about it is wrong.
inline npy_array read_npy(const std::string& path, file_reader reader = read_file) {
  return parse_npy(reader(path), path);
}

/// Makes the array the content of the NPY file at `path`, as `write_file_atomically` does. Throws
/// `error` if that fails.
inline void write_npy(const std::string& path, const npy_array& array) {
  write_file_atomically(path, npy_bytes(array));
}

}  // namespace ipu_dsl
