// SPDX-License-Identifier: MIT
// The elements of an NPY file as the library keeps them: in C order, lowest byte first, of 4 bytes
// or 1.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/npy_header.hpp>

namespace ipu_dsl {

namespace npy {

/// Goes through an array in C order and says where each element lies in its file.
class element_order {
 public:
  explicit element_order(const header& array)
      : extents_(array.extents), strides_(extents_.size()), index_(extents_.size()) {
    std::size_t stride = 1;
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      const std::size_t axis = array.fortran_order ? i : extents_.size() - 1 - i;
      strides_[axis] = stride;
      stride *= static_cast<std::size_t>(extents_[axis]);
    }
  }

  /// Where the element lies that comes next, counted in elements.
  std::size_t position() const { return position_; }

  /// Goes on to the next element; behind the last one comes the first.
  void advance() {
    for (std::size_t axis = extents_.size(); axis-- > 0;) {
      position_ += strides_[axis];
      if (++index_[axis] < extents_[axis]) {
        return;
      }
      position_ -= strides_[axis] * static_cast<std::size_t>(extents_[axis]);
      index_[axis] = 0;
    }
  }

  /// Its index, as Python writes it.
  std::string describe_index() const { return describe(index_); }

 private:
  std::vector<std::int64_t> extents_;
  std::vector<std::size_t> strides_;
  std::vector<std::int64_t> index_;
  std::size_t position_ = 0;
};

/// The bits of an element.
inline std::uint64_t bits_of(std::span<const std::uint8_t> bytes, bool highest_first) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t place = highest_first ? bytes.size() - 1 - i : i;
    bits |= std::uint64_t{bytes[i]} << (8 * place);
  }
  return bits;
}

/// The bits of the nearest float32 of a float64; NaN and infinity stay what they are. Throws
/// `error` if a finite one is beyond the largest float32.
inline std::uint32_t narrowed_float(std::uint64_t bits, const element_order& where,
                                    const std::string& name) {
  const double value = std::bit_cast<double>(bits);
  constexpr double most = static_cast<double>((std::numeric_limits<float>::max)());
  if (std::abs(value) > most && std::abs(value) <= (std::numeric_limits<double>::max)()) {
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", value);
    throw error(name + " holds " + number + " at " + where.describe_index() +
                ", which float32 cannot hold.");
  }
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// The bits of the int32 of an int64. Throws `error` if there is none.
inline std::uint32_t narrowed_integer(std::uint64_t bits, const element_order& where,
                                      const std::string& name) {
  const std::int64_t value = std::bit_cast<std::int64_t>(bits);
  if (value != static_cast<std::int32_t>(value)) {
    throw error(name + " holds " + std::to_string(value) + " at " + where.describe_index() +
                ", which int32 cannot hold.");
  }
  return static_cast<std::uint32_t>(bits);
}

/// The bits of an element as the library keeps it.
inline std::uint32_t kept_bits(std::uint64_t bits, const stored_type& stored,
                               const element_order& where, const std::string& name) {
  if (stored.bytes < 8) {
    return static_cast<std::uint32_t>(bits);
  }
  return stored.element == dtype::float32 ? narrowed_float(bits, where, name)
                                          : narrowed_integer(bits, where, name);
}

/// The elements of an array that lies in a file as its header says; `bytes` are as many as its
/// extents ask for. Throws `error` if a number is too large for the type it becomes.
inline std::vector<std::uint8_t> converted(std::span<const std::uint8_t> bytes, const header& array,
                                           const std::string& name) {
  const stored_type& stored = array.stored;
  const std::size_t kept = static_cast<std::size_t>(bytes_of(stored.element));
  const bool in_order = !array.fortran_order || array.extents.size() < 2;
  if (in_order && stored.bytes == kept && !stored.highest_first) {
    return {bytes.begin(), bytes.end()};
  }
  const std::size_t count = bytes.size() / stored.bytes;
  std::vector<std::uint8_t> elements;
  elements.reserve(count * kept);
  element_order order(array);
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = bytes.subspan(order.position() * stored.bytes, stored.bytes);
    const std::uint64_t bits = bits_of(element, stored.highest_first);
    append_little_endian(elements, kept_bits(bits, stored, order, name), kept);
    order.advance();
  }
  return elements;
}

}  // namespace npy

}  // namespace ipu_dsl
