// SPDX-License-Identifier: MIT
// IDX, the format of the original MNIST files: unsigned bytes behind their extents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/file.hpp>

namespace ipu_dsl {

/// An array of unsigned bytes in C order.
struct idx_array {
  std::vector<std::uint8_t> bytes;
  list<std::int32_t> extents;
};

namespace idx {

/// Throws `error` unless these are two zero bytes, the type of unsigned bytes and the rank.
inline void check_magic(std::uint32_t magic, const std::string& name, std::int32_t expected_rank) {
  constexpr std::uint32_t unsigned_byte = 0x08;
  if (magic >> 16 != 0) {
    raise_error({name, " is no IDX file: it begins with the bytes ", magic >> 24, " and ",
                 magic >> 16 & 255, " instead of 0 and 0."});
  }
  if ((magic >> 8 & 255) != unsigned_byte) {
    raise_error({name, " holds elements of IDX type ", magic >> 8 & 255,
                 "; expected type 8, unsigned bytes."});
  }
  if ((magic & 255) != static_cast<std::uint32_t>(expected_rank)) {
    raise_error({name, " has ", magic & 255, " dimensions; expected ", expected_rank, "."});
  }
}

/// The next extent. Throws `error` if it is 0 or 2^31 or more.
inline std::int32_t read_extent(byte_cursor& cursor, const std::string& name, std::int32_t axis) {
  const std::uint32_t extent = cursor.big_endian_32();
  constexpr std::uint32_t most = (std::numeric_limits<std::int32_t>::max)();
  if (extent == 0 || extent > most) {
    raise_error({"Dimension ", axis, " of ", name, " is ", extent, "; expected 1 to ", most, "."});
  }
  return static_cast<std::int32_t>(extent);
}

}  // namespace idx

/// Parses the bytes of an IDX file of unsigned bytes with `expected_rank` dimensions. `name` is
/// what the sentences call the file. Throws `error` if anything about it is wrong.
inline idx_array parse_idx(list_view<std::uint8_t> bytes, const std::string& name,
                           std::int32_t expected_rank) {
  if (looks_like_gzip(bytes)) {
    raise_error({name, " is compressed: unpack it with gunzip, or read it with read_file_or_gzip ",
                 "of ipu_dsl/formats/gzip.hpp (component gzip)."});
  }
  byte_cursor cursor(bytes, name);
  idx::check_magic(cursor.big_endian_32(), name, expected_rank);
  idx_array parsed;
  std::size_t count = 1;
  for (std::int32_t axis = 0; axis < expected_rank; ++axis) {
    const std::int32_t extent = idx::read_extent(cursor, name, axis);
    parsed.extents.push_back(extent);
    if (count > (std::numeric_limits<std::size_t>::max)() / static_cast<std::size_t>(extent)) {
      raise_error({"The dimensions of ", name, " multiply to more than a machine can address."});
    }
    count *= static_cast<std::size_t>(extent);
  }
  if (cursor.remaining() != count) {
    raise_error({name, (cursor.remaining() < count ? " is truncated" : " has trailing bytes"),
                 ": its dimensions ask for ", count, " bytes behind the header and it has ",
                 cursor.remaining(), "."});
  }
  append_bytes(parsed.bytes, cursor.take(count).data(), count);
  return parsed;
}

/// Reads the IDX file at `path`. Throws `error` if it is missing or anything about it is wrong.
inline idx_array read_idx(const std::string& path, std::int32_t expected_rank,
                          file_reader reader = read_file) {
  return parse_idx(reader(path), path, expected_rank);
}

}  // namespace ipu_dsl
