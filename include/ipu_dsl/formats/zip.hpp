// SPDX-License-Identifier: MIT
// Zip archives: writing stored entries, reading stored ones and, with help, deflated ones. After
// PKWARE's APPNOTE 6.3; no encryption, no Zip64, no second disk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/crc32.hpp>

namespace ipu_dsl {

/// A file in an archive.
struct zip_entry {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// Unpacks raw deflated bytes to exactly `size`; `inflate_entry` of formats/gzip.hpp is one.
using entry_inflater = std::vector<std::uint8_t> (*)(std::span<const std::uint8_t> bytes,
                                                     std::size_t size, const std::string& name);

/// The `entry_inflater` of programs without zlib: throws `error`, saying what to do.
inline std::vector<std::uint8_t> refuse_deflated(std::span<const std::uint8_t>, std::size_t,
                                                 const std::string& name) {
  throw error(name + " is compressed: save it with np.savez, or read it with inflate_entry of " +
              "ipu_dsl/formats/gzip.hpp (component gzip).");
}

namespace zips {

inline constexpr std::uint32_t local_signature = 0x0403'4B50;
inline constexpr std::uint32_t central_signature = 0x0201'4B50;
inline constexpr std::uint32_t end_signature = 0x0605'4B50;
inline constexpr std::size_t local_size = 30;
inline constexpr std::size_t end_size = 22;
inline constexpr std::uint32_t stored = 0;
inline constexpr std::uint32_t deflated = 8;

/// What the central directory says of an entry.
struct record {
  std::string name;
  std::uint32_t flags = 0;
  std::uint32_t method = 0;
  std::uint32_t checksum = 0;
  std::uint32_t packed_size = 0;
  std::uint32_t size = 0;
  std::uint32_t local_offset = 0;
};

/// What local and central records have in common: version to checksum, sizes, length of the name.
inline void append_common(std::vector<std::uint8_t>& bytes, const zip_entry& entry) {
  constexpr std::uint32_t first_of_january_1980 = 0x0021;
  const std::uint32_t size = static_cast<std::uint32_t>(entry.bytes.size());
  append_little_endian(bytes, 20, 2);  // version 2.0 is enough to read it
  append_little_endian(bytes, 0, 2);   // flags
  append_little_endian(bytes, stored, 2);
  append_little_endian(bytes, 0, 2);  // midnight: equal content gives equal bytes
  append_little_endian(bytes, first_of_january_1980, 2);
  append_little_endian(bytes, crc32_of(entry.bytes), 4);
  append_little_endian(bytes, size, 4);
  append_little_endian(bytes, size, 4);
  append_little_endian(bytes, static_cast<std::uint32_t>(entry.name.size()), 2);
  append_little_endian(bytes, 0, 2);  // no extra field
}

/// The record of the central directory.
inline void append_central(std::vector<std::uint8_t>& bytes, const zip_entry& entry,
                           std::size_t local_offset) {
  append_little_endian(bytes, central_signature, 4);
  append_little_endian(bytes, 20, 2);  // made by version 2.0
  append_common(bytes, entry);
  append_little_endian(bytes, 0, 2);  // no comment
  append_little_endian(bytes, 0, 2);  // first disk
  append_little_endian(bytes, 0, 2);  // internal attributes
  append_little_endian(bytes, 0, 4);  // external attributes
  append_little_endian(bytes, static_cast<std::uint32_t>(local_offset), 4);
  append_text(bytes, entry.name);
}

/// Where the end record begins: it is last, but for a comment of at most 65535 bytes.
inline std::size_t find_end(std::span<const std::uint8_t> bytes, const std::string& name) {
  const std::size_t most = std::min<std::size_t>(bytes.size(), end_size + 0xFFFF);
  for (std::size_t back = end_size; back <= most; ++back) {
    byte_cursor cursor(bytes, name, bytes.size() - back);
    if (cursor.little_endian_32() == end_signature) {
      return bytes.size() - back;
    }
  }
  throw error(name + " is no zip archive, or truncated: its " + std::to_string(bytes.size()) +
              " bytes hold no end record.");
}

/// The next record of the central directory.
inline record take_record(byte_cursor& cursor, const std::string& name) {
  if (cursor.little_endian_32() != central_signature) {
    throw error(name + " is corrupt: no entry of the directory at position " +
                std::to_string(cursor.position() - 4) + ".");
  }
  record taken;
  cursor.take(4);  // versions
  taken.flags = cursor.little_endian_16();
  taken.method = cursor.little_endian_16();
  cursor.take(4);  // time and date
  taken.checksum = cursor.little_endian_32();
  taken.packed_size = cursor.little_endian_32();
  taken.size = cursor.little_endian_32();
  const std::size_t name_length = cursor.little_endian_16();
  const std::size_t extra_length = cursor.little_endian_16();
  const std::size_t comment_length = cursor.little_endian_16();
  cursor.take(8);  // disk and attributes
  taken.local_offset = cursor.little_endian_32();
  taken.name = cursor.take_text(name_length);
  cursor.take(extra_length + comment_length);
  return taken;
}

/// The packed bytes of an entry, behind its local record.
inline std::span<const std::uint8_t> find_packed(std::span<const std::uint8_t> bytes,
                                                 const record& entry, const std::string& name) {
  byte_cursor cursor(bytes, name, entry.local_offset);
  if (cursor.little_endian_32() != local_signature) {
    throw error(name + " is corrupt: no entry " + entry.name + " at position " +
                std::to_string(entry.local_offset) + ".");
  }
  cursor.take(local_size - 8);
  const std::size_t name_length = cursor.little_endian_16();
  const std::size_t extra_length = cursor.little_endian_16();
  cursor.take(name_length + extra_length);
  return cursor.take(entry.packed_size);
}

/// The content of an entry.
inline std::vector<std::uint8_t> unpack(std::span<const std::uint8_t> packed, const record& entry,
                                        const std::string& name, entry_inflater inflater) {
  if ((entry.flags & 1) != 0 || (entry.method != stored && entry.method != deflated)) {
    throw error(name + " is encrypted or packed by method " + std::to_string(entry.method) +
                "; expected 0 (stored) or 8 (deflated).");
  }
  if (entry.method == deflated) {
    return inflater(packed, entry.size, name);
  }
  if (entry.size != entry.packed_size) {
    throw error(name + " is corrupt: stored as " + std::to_string(entry.packed_size) +
                " bytes, yet of " + std::to_string(entry.size) + ".");
  }
  return {packed.begin(), packed.end()};
}

}  // namespace zips

/// The bytes of an archive of stored entries. Throws `error` if there are 65535 entries or more or
/// 4 GiB or more: that would need Zip64.
inline std::vector<std::uint8_t> zip_bytes(std::span<const zip_entry> entries) {
  constexpr std::size_t most = 0xFFFF'FFFF;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> directory;
  for (const zip_entry& entry : entries) {
    if (entries.size() >= 0xFFFF || entry.name.size() > 0xFFFF ||
        entry.bytes.size() + bytes.size() + directory.size() + 0x4'0000 > most) {
      throw error("The archive is too large for a zip file of fewer than 65535 entries and 4 GiB.");
    }
    zips::append_central(directory, entry, bytes.size());
    append_little_endian(bytes, zips::local_signature, 4);
    zips::append_common(bytes, entry);
    append_text(bytes, entry.name);
    bytes.insert(bytes.end(), entry.bytes.begin(), entry.bytes.end());
  }
  const std::uint32_t count = static_cast<std::uint32_t>(entries.size());
  const std::uint32_t directory_offset = static_cast<std::uint32_t>(bytes.size());
  bytes.insert(bytes.end(), directory.begin(), directory.end());
  append_little_endian(bytes, zips::end_signature, 4);
  append_little_endian(bytes, 0, 4);  // one disk
  append_little_endian(bytes, count, 2);
  append_little_endian(bytes, count, 2);
  append_little_endian(bytes, static_cast<std::uint32_t>(directory.size()), 4);
  append_little_endian(bytes, directory_offset, 4);
  append_little_endian(bytes, 0, 2);  // no comment
  return bytes;
}

/// Every file of an archive, checksums verified. `name` is what the sentences call the archive.
/// Throws `error` if anything about it is wrong.
inline std::vector<zip_entry> parse_zip(std::span<const std::uint8_t> bytes,
                                        const std::string& name,
                                        entry_inflater inflater = refuse_deflated) {
  byte_cursor end(bytes, name, zips::find_end(bytes, name));
  end.take(8);  // signature, disks
  end.take(2);  // entries on this disk
  const std::size_t count = end.little_endian_16();
  end.take(4);  // size of the directory
  byte_cursor directory(bytes, name, end.little_endian_32());
  std::vector<zip_entry> entries;
  std::size_t packed_total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const zips::record record = zips::take_record(directory, name);
    const std::string entry_name = name + "/" + record.name;
    const std::span<const std::uint8_t> packed = zips::find_packed(bytes, record, name);
    packed_total += packed.size();
    // Entries that share bytes make a small hostile file fill the memory.
    if (packed_total > bytes.size()) {
      throw error(name + " is corrupt: its entries overlap.");
    }
    entries.push_back({record.name, zips::unpack(packed, record, entry_name, inflater)});
    if (crc32_of(entries.back().bytes) != record.checksum) {
      throw error(entry_name + " is corrupt: its checksum is not the one recorded.");
    }
  }
  return entries;
}

}  // namespace ipu_dsl
