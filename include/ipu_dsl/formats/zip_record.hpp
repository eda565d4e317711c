// SPDX-License-Identifier: MIT
// What a zip archive says of its entries. After PKWARE's APPNOTE 6.3, with Zip64 where numbers need
// 64 bits; no encryption, no second disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/error.hpp>
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
  std::string_view name;  ///< lies in the bytes of the archive, or with who writes it
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
[[gnu::cold]] inline void check_name(std::string_view entry, std::string_view archive) {
  if (!is_utf8(entry) || entry.find('\0') != std::string_view::npos) {
    raise_error({archive, " has an entry of the name ", printable(entry),
                 "; expected UTF-8 without a NUL."});
  }
  if (entry.size() > 0xFFFF) {
    raise_error({archive, " has an entry whose name is of ", entry.size(), " bytes, ",
                 printable(entry, 40), "; expected at most 65535."});
  }
}

}  // namespace zips

}  // namespace ipu_dsl
