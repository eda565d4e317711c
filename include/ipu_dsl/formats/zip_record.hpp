// SPDX-License-Identifier: MIT
// What a zip archive says of its entries: local records, the directory, its end. After PKWARE's
// APPNOTE 6.3, with Zip64 where numbers need 64 bits; no encryption, no second disk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/printable.hpp>

namespace ipu_dsl {

namespace zips {

inline constexpr std::uint32_t local_signature = 0x0403'4B50;
inline constexpr std::uint32_t central_signature = 0x0201'4B50;
inline constexpr std::uint32_t end_signature = 0x0605'4B50;
inline constexpr std::uint32_t end64_signature = 0x0606'4B50;
inline constexpr std::uint32_t locator_signature = 0x0706'4B50;
inline constexpr std::size_t local_size = 30;
inline constexpr std::size_t central_size = 46;
inline constexpr std::size_t end_size = 22;
inline constexpr std::size_t end64_size = 56;
inline constexpr std::size_t locator_size = 20;
inline constexpr std::uint32_t stored = 0;
inline constexpr std::uint32_t deflated = 8;
inline constexpr std::uint32_t encrypted_flag = 1;
inline constexpr std::uint32_t utf8_flag = 1 << 11;
inline constexpr std::uint32_t zip64_field = 1;

/// What stands in a field of 2 or 4 bytes if the number needs more: it stands elsewhere, in 8.
inline constexpr std::uint64_t elsewhere_16 = 0xFFFF;
inline constexpr std::uint64_t elsewhere_32 = 0xFFFF'FFFF;

/// What the directory says of an entry.
struct record {
  std::string name;
  std::uint32_t flags = 0;
  std::uint32_t method = stored;
  std::uint32_t checksum = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t local_offset = 0;
};

/// What the end of an archive says of its directory.
struct directory {
  std::uint64_t entries = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

/// Throws `error` unless every reader finds an entry by this name. NumPy ends a name at its first
/// NUL, and takes what is not marked as UTF-8 for code page 437; many programs, this library's
/// first version among them, write UTF-8 without the mark, so the mark is not asked for.
inline void check_name(std::string_view entry, const std::string& archive) {
  if (!is_utf8(entry) || entry.find('\0') != std::string_view::npos) {
    throw error(archive + " has an entry of the name " + printable(entry) +
                "; expected UTF-8 without a NUL.");
  }
  if (entry.size() > 0xFFFF) {
    throw error(archive + " has an entry whose name is of " + std::to_string(entry.size()) +
                " bytes, " + printable(entry, 40) + "; expected at most 65535.");
  }
}

/// The numbers of a record that need 64 bits, in the order in which their field has them.
inline std::vector<std::uint64_t> long_numbers(const record& entry, bool with_offset) {
  std::vector<std::uint64_t> numbers;
  if ((std::max)(entry.size, entry.packed_size) >= elsewhere_32) {
    numbers = {entry.size, entry.packed_size};
  }
  if (with_offset && entry.local_offset >= elsewhere_32) {
    numbers.push_back(entry.local_offset);
  }
  return numbers;
}

/// What local and central records have in common: version to checksum, sizes, lengths of the name
/// and of the extra field.
inline void append_common(std::vector<std::uint8_t>& bytes, const record& entry,
                          std::size_t long_count) {
  constexpr std::uint32_t first_of_january_1980 = 0x0021;
  const bool long_sizes = (std::max)(entry.size, entry.packed_size) >= elsewhere_32;
  append_little_endian(bytes, long_count > 0 ? 45 : 20, 2);  // the version that can read it
  append_little_endian(bytes, entry.flags, 2);
  append_little_endian(bytes, entry.method, 2);
  append_little_endian(bytes, 0, 2);  // midnight: equal content gives equal bytes
  append_little_endian(bytes, first_of_january_1980, 2);
  append_little_endian(bytes, entry.checksum, 4);
  append_little_endian(bytes, long_sizes ? elsewhere_32 : entry.packed_size, 4);
  append_little_endian(bytes, long_sizes ? elsewhere_32 : entry.size, 4);
  append_little_endian(bytes, entry.name.size(), 2);
  append_little_endian(bytes, long_count > 0 ? 4 + 8 * long_count : 0, 2);
}

/// The extra field of Zip64; nothing if no number is long.
inline void append_long_numbers(std::vector<std::uint8_t>& bytes,
                                const std::vector<std::uint64_t>& numbers) {
  if (numbers.empty()) {
    return;
  }
  append_little_endian(bytes, zip64_field, 2);
  append_little_endian(bytes, 8 * numbers.size(), 2);
  for (const std::uint64_t number : numbers) {
    append_little_endian(bytes, number, 8);
  }
}

/// The record before the content of an entry.
inline void append_local(std::vector<std::uint8_t>& bytes, const record& entry) {
  const std::vector<std::uint64_t> numbers = long_numbers(entry, false);
  append_little_endian(bytes, local_signature, 4);
  append_common(bytes, entry, numbers.size());
  append_text(bytes, entry.name);
  append_long_numbers(bytes, numbers);
}

/// The record of the directory.
inline void append_central(std::vector<std::uint8_t>& bytes, const record& entry) {
  const std::vector<std::uint64_t> numbers = long_numbers(entry, true);
  append_little_endian(bytes, central_signature, 4);
  append_little_endian(bytes, numbers.empty() ? 20 : 45, 2);  // made by this version
  append_common(bytes, entry, numbers.size());
  append_little_endian(bytes, 0, 2);  // no comment
  append_little_endian(bytes, 0, 2);  // first disk
  append_little_endian(bytes, 0, 2);  // internal attributes
  append_little_endian(bytes, 0, 4);  // external attributes
  append_little_endian(bytes, (std::min)(entry.local_offset, elsewhere_32), 4);
  append_text(bytes, entry.name);
  append_long_numbers(bytes, numbers);
}

/// Zip64's end of an archive, at `position`, and what leads to it.
inline void append_end64(std::vector<std::uint8_t>& bytes, const directory& found,
                         std::uint64_t position) {
  append_little_endian(bytes, end64_signature, 4);
  append_little_endian(bytes, end64_size - 12, 8);  // of what follows
  append_little_endian(bytes, 45, 2);               // made by this version
  append_little_endian(bytes, 45, 2);               // read by this version
  append_little_endian(bytes, 0, 8);                // one disk
  append_little_endian(bytes, found.entries, 8);
  append_little_endian(bytes, found.entries, 8);
  append_little_endian(bytes, found.size, 8);
  append_little_endian(bytes, found.offset, 8);
  append_little_endian(bytes, locator_signature, 4);
  append_little_endian(bytes, 0, 4);  // first disk
  append_little_endian(bytes, position, 8);
  append_little_endian(bytes, 1, 4);  // one disk
}

/// The end of an archive whose directory ends where the end begins.
inline void append_end(std::vector<std::uint8_t>& bytes, const directory& found) {
  if (found.entries >= elsewhere_16 || (std::max)(found.size, found.offset) >= elsewhere_32) {
    append_end64(bytes, found, found.offset + found.size);
  }
  const std::uint64_t count = (std::min)(found.entries, elsewhere_16);
  append_little_endian(bytes, end_signature, 4);
  append_little_endian(bytes, 0, 4);  // one disk
  append_little_endian(bytes, count, 2);
  append_little_endian(bytes, count, 2);
  append_little_endian(bytes, (std::min)(found.size, elsewhere_32), 4);
  append_little_endian(bytes, (std::min)(found.offset, elsewhere_32), 4);
  append_little_endian(bytes, 0, 2);  // no comment
}

}  // namespace zips

}  // namespace ipu_dsl
