// SPDX-License-Identifier: MIT
// The elements of an NPY file as the library keeps them: in C order, lowest byte first, of 4 bytes
// or 1.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/npy_header.hpp>

namespace ipu_dsl {

static_assert(std::endian::native == std::endian::little,
              "ipu_dsl reads and writes arrays as they lie in memory: little endian");

namespace npy {

/// Goes through an array in C order and says where each element lies in its file.
class element_order {
 public:
  explicit element_order(const header& array) : extents_(array.extents) {
    std::size_t stride = 1;
    for (std::size_t i = 0; i < extents_.rank; ++i) {
      const std::size_t axis = array.fortran_order ? i : extents_.rank - 1 - i;
      strides_[axis] = stride;
      stride *= static_cast<std::size_t>(extents_.values[axis]);
    }
    index_.rank = extents_.rank;
  }

  /// Where the element lies that comes next, counted in elements.
  std::size_t position() const { return position_; }

  /// Goes on to the next element; behind the last one comes the first.
  void advance() {
    for (std::size_t axis = extents_.rank; axis-- > 0;) {
      position_ += strides_[axis];
      if (++index_.values[axis] < extents_.values[axis]) {
        return;
      }
      position_ -= strides_[axis] * static_cast<std::size_t>(extents_.values[axis]);
      index_.values[axis] = 0;
    }
  }

  /// Its index, as Python writes it.
  std::string describe_index() const { return describe(index_.view()); }

 private:
  file_extents extents_;
  file_extents index_;
  std::size_t strides_[most_dimensions] = {};
  std::size_t position_ = 0;
};

/// The bits of an element.
inline std::uint64_t bits_of(const std::uint8_t* bytes, const stored_type& stored) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < stored.bytes; ++i) {
    const std::size_t place = stored.highest_first ? stored.bytes - 1 - i : i;
    bits |= std::uint64_t{bytes[i]} << (8 * place);
  }
  return bits;
}

/// The bits of the nearest float32 of a float64; NaN and infinity stay what they are. Throws
/// `error` if a finite one is beyond the largest float32.
inline std::uint32_t narrowed_float(std::uint64_t bits, const element_order& where,
                                    std::string_view name) {
  const double value = std::bit_cast<double>(bits);
  constexpr double most = static_cast<double>((std::numeric_limits<float>::max)());
  const double magnitude = value < 0 ? -value : value;
  if (magnitude > most && magnitude <= (std::numeric_limits<double>::max)()) {
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", value);
    raise_error(
        {name, " holds ", number, " at ", where.describe_index(), ", which float32 cannot hold."});
  }
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// The bits of the int32 of an int64. Throws `error` if there is none.
inline std::uint32_t narrowed_integer(std::uint64_t bits, const element_order& where,
                                      std::string_view name) {
  const std::int64_t value = std::bit_cast<std::int64_t>(bits);
  if (value != static_cast<std::int32_t>(value)) {
    raise_error(
        {name, " holds ", value, " at ", where.describe_index(), ", which int32 cannot hold."});
  }
  return static_cast<std::uint32_t>(bits);
}

/// The bits of an element as the library keeps it.
inline std::uint32_t kept_bits(std::uint64_t bits, const stored_type& stored,
                               const element_order& where, std::string_view name) {
  if (stored.bytes < 8) {
    return static_cast<std::uint32_t>(bits);
  }
  return stored.element == dtype::float32 ? narrowed_float(bits, where, name)
                                          : narrowed_integer(bits, where, name);
}

/// An array in the bytes of a file.
struct array_in_file {
  npy::header header;
  std::span<const std::uint8_t> bytes;  ///< of its elements, as they lie in the file
  std::size_t count = 0;                ///< of its elements

  /// What its elements take as the library keeps them.
  std::size_t kept_bytes() const {
    return count * static_cast<std::size_t>(bytes_of(header.stored.element));
  }
};

/// Finds the array in the bytes of an NPY file, version 1.0 or 2.0. Throws `error` unless they are
/// one, with as many elements as its extents ask for.
[[gnu::cold]] inline array_in_file find_array(std::span<const std::uint8_t> bytes,
                                              std::string_view name) {
  byte_cursor cursor(bytes, name);
  array_in_file found;
  found.header = parse_header(take_header_text(cursor, name), name);
  const std::size_t size = found.header.stored.bytes;
  const std::size_t room = cursor.remaining();
  found.count = element_count(found.header.extents.view(), name);
  if (room / size != found.count || room % size != 0) {
    raise_error({name, room / size < found.count ? " is truncated" : " has trailing bytes",
                 ": its extents ", describe(found.header.extents.view()), " ask for ", found.count,
                 " elements of ", size, " bytes and it has ", room, " bytes for them."});
  }
  found.bytes = cursor.take(room);
  return found;
}

/// Writes the elements of an array as the library keeps them, `kept_bytes()` of them. Throws
/// `error` if a number is too large for the type it becomes.
inline void convert(const array_in_file& array, std::string_view name, std::uint8_t* to) {
  const stored_type& stored = array.header.stored;
  const std::size_t kept = static_cast<std::size_t>(bytes_of(stored.element));
  const bool in_order = !array.header.fortran_order || array.header.extents.rank < 2;
  if (array.count == 0) {
    return;
  }
  if (in_order && stored.bytes == kept && !stored.highest_first) {
    std::memcpy(to, array.bytes.data(), array.bytes.size());
    return;
  }
  element_order order(array.header);
  for (std::size_t i = 0; i < array.count; ++i) {
    const std::uint8_t* const element = array.bytes.data() + order.position() * stored.bytes;
    const std::uint32_t bits = kept_bits(bits_of(element, stored), stored, order, name);
    std::memcpy(to + i * kept, &bits, kept);
    order.advance();
  }
}

}  // namespace npy

}  // namespace ipu_dsl
