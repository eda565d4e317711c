// SPDX-License-Identifier: MIT
// NPY, NumPy's format of one array.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/npy_conversion.hpp>
#include <ipu_dsl/formats/npy_header.hpp>

namespace ipu_dsl {

static_assert(std::endian::native == std::endian::little,
              "ipu_dsl reads and writes arrays as they lie in memory: little endian");

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
    throw error("An array " + npy::describe(extents) + " cannot hold " +
                std::to_string(values.size()) + " values.");
  }
  made.bytes.resize(values.size_bytes());
  if (!values.empty()) {
    std::memcpy(made.bytes.data(), values.data(), values.size_bytes());
  }
  return made;
}

/// The elements of an array in C order. Throws `error` if they are of another type; `name` is what
/// the sentence calls the array.
template <typename T>
std::vector<T> npy_values(const npy_array& array, const std::string& name) {
  if (array.element != dtype_of<T>()) {
    throw error(name + " holds " + std::string(name_of(array.element)) + "; expected " +
                std::string(name_of(dtype_of<T>())) + ".");
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
  bytes.insert(bytes.end(), array.bytes.begin(), array.bytes.end());
  return bytes;
}

/// Parses the bytes of an NPY file, version 1.0 or 2.0. What this library has no type or order for
/// is converted: Fortran order to C order, bytes highest first to lowest first, float64 to the
/// nearest float32, int64 to int32. `name` is what the sentences call it. Throws `error` if
/// anything about it is wrong, or if a number is too large for its new type.
inline npy_array parse_npy(std::span<const std::uint8_t> bytes, const std::string& name) {
  byte_cursor cursor(bytes, name);
  const npy::header header = npy::parse_header(npy::take_header_text(cursor, name), name);
  const std::size_t size = header.stored.bytes;
  const std::size_t count = npy::element_count(header.extents, name);
  if (cursor.remaining() / size != count || cursor.remaining() % size != 0) {
    throw error(name +
                (cursor.remaining() / size < count ? " is truncated" : " has trailing bytes") +
                ": its extents " + npy::describe(header.extents) + " ask for " +
                std::to_string(count) + " elements of " + std::to_string(size) +
                " bytes and it has " + std::to_string(cursor.remaining()) + " bytes for them.");
  }
  return {header.stored.element, header.extents,
          npy::converted(cursor.take(cursor.remaining()), header, name)};
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
