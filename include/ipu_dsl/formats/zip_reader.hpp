// SPDX-License-Identifier: MIT
// Reads what a zip archive says of its entries. Nothing it says is believed.
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
#include <ipu_dsl/formats/zip_record.hpp>

namespace ipu_dsl {

namespace zips {

/// A cursor at an offset that the archive itself names. One that no memory can hold is as good as
/// the end.
inline byte_cursor cursor_at(std::span<const std::uint8_t> bytes, const std::string& name,
                             std::uint64_t offset) {
  return {bytes, name, static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes.size()))};
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

/// Throws `error` unless a number is the one that Zip64's end has, or says that it stands there.
inline void check_long(std::uint64_t number, std::uint64_t elsewhere, std::uint64_t long_number,
                       const std::string& name) {
  if (number != elsewhere && number != long_number) {
    throw error(name + " is corrupt: its two end records say " + std::to_string(number) + " and " +
                std::to_string(long_number) + " of the same thing.");
  }
}

/// Throws `error` if an archive goes over several disks.
inline void check_disks(bool one, const std::string& name) {
  if (!one) {
    throw error(name + " is a part of an archive of several files; expected a whole one.");
  }
}

/// What Zip64's end says, if something leads to it from before the end record at `end`; what
/// `found` says otherwise.
inline directory take_end64(std::span<const std::uint8_t> bytes, const std::string& name,
                            std::size_t end, const directory& found) {
  if (end < locator_size) {
    return found;
  }
  byte_cursor locator(bytes, name, end - locator_size);
  if (locator.little_endian_32() != locator_signature) {
    return found;
  }
  locator.take(4);  // disk
  const std::uint64_t position = locator.little_endian_64();
  byte_cursor cursor = cursor_at(bytes, name, position);
  if (cursor.remaining() < end64_size || cursor.little_endian_32() != end64_signature) {
    throw error(name + " is corrupt: no end record of Zip64 at position " +
                std::to_string(position) + ".");
  }
  cursor.take(12);  // its size, versions
  check_disks(cursor.little_endian_64() == 0, name);
  const std::uint64_t here = cursor.little_endian_64();
  directory taken;
  taken.entries = cursor.little_endian_64();
  taken.size = cursor.little_endian_64();
  taken.offset = cursor.little_endian_64();
  check_disks(here == taken.entries, name);
  check_long(found.entries, elsewhere_16, taken.entries, name);
  check_long(found.size, elsewhere_32, taken.size, name);
  check_long(found.offset, elsewhere_32, taken.offset, name);
  return taken;
}

/// The bytes of the directory, and how many entries the end of the archive counts in it.
struct directory_bytes {
  std::span<const std::uint8_t> upto_end;  ///< the archive as far as the directory goes
  std::size_t begin = 0;                   ///< where in it the directory begins
  std::uint64_t entries = 0;
};

/// Finds the directory. Throws `error` if there is none, or not all of it.
inline directory_bytes find_directory(std::span<const std::uint8_t> bytes,
                                      const std::string& name) {
  const std::size_t end = find_end(bytes, name);
  byte_cursor cursor(bytes, name, end + 4);
  check_disks(cursor.little_endian_32() == 0, name);
  const std::uint64_t here = cursor.little_endian_16();
  directory found;
  found.entries = cursor.little_endian_16();
  found.size = cursor.little_endian_32();
  found.offset = cursor.little_endian_32();
  check_disks(here == found.entries, name);
  found = take_end64(bytes, name, end, found);
  if (found.offset > end || found.size > end - found.offset) {
    throw error(name + " is corrupt: a directory of " + std::to_string(found.size) +
                " bytes at position " + std::to_string(found.offset) +
                " does not end before the end record at " + std::to_string(end) + ".");
  }
  const std::size_t begin = static_cast<std::size_t>(found.offset);
  return {bytes.first(begin + static_cast<std::size_t>(found.size)), begin, found.entries};
}

/// Replaces the numbers that stand elsewhere by those of the extra field of Zip64.
inline void take_long_numbers(record& entry, std::span<const std::uint8_t> extra,
                              const std::string& name) {
  byte_cursor fields(extra, name);
  while (fields.remaining() >= 4) {
    const std::uint32_t kind = fields.little_endian_16();
    const std::size_t length = fields.little_endian_16();
    if (length > fields.remaining()) {
      throw error(name + " is corrupt: an extra field is longer than all of them.");
    }
    byte_cursor field(fields.take(length), name);
    for (std::uint64_t* const number : {&entry.size, &entry.packed_size, &entry.local_offset}) {
      if (kind == zip64_field && *number == elsewhere_32) {
        *number = field.little_endian_64();
      }
    }
  }
}

/// The next record of the directory.
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
  check_name(taken.name, name);
  take_long_numbers(taken, cursor.take(extra_length), name + "/" + printable(taken.name));
  cursor.take(comment_length);
  return taken;
}

/// All records of the directory. Throws `error` if they are more or fewer than the end of the
/// archive counts.
inline std::vector<record> take_records(std::span<const std::uint8_t> bytes,
                                        const std::string& name) {
  const directory_bytes found = find_directory(bytes, name);
  byte_cursor cursor(found.upto_end, name, found.begin);
  std::vector<record> records;
  while (cursor.remaining() > 0) {
    records.push_back(take_record(cursor, name));
  }
  if (records.size() != found.entries) {
    throw error(name + " is corrupt: its directory has " + std::to_string(records.size()) +
                " entries, its end record counts " + std::to_string(found.entries) + ".");
  }
  return records;
}

/// The packed bytes of an entry, behind its local record.
inline std::span<const std::uint8_t> find_packed(std::span<const std::uint8_t> bytes,
                                                 const record& entry, const std::string& name) {
  byte_cursor cursor = cursor_at(bytes, name, entry.local_offset);
  if (cursor.remaining() < local_size || cursor.little_endian_32() != local_signature) {
    throw error(name + " is corrupt: no entry " + printable(entry.name) + " at position " +
                std::to_string(entry.local_offset) + ".");
  }
  cursor.take(local_size - 8);
  const std::size_t name_length = cursor.little_endian_16();
  const std::size_t extra_length = cursor.little_endian_16();
  const std::string_view local_name = cursor.take_text(name_length);
  if (local_name != entry.name) {
    throw error(name + " is corrupt: the directory calls an entry " + printable(entry.name) +
                ", the entry itself " + printable(local_name) + ".");
  }
  cursor.take(extra_length);
  if (entry.packed_size > cursor.remaining()) {
    throw error(name + " is truncated: its entry " + printable(entry.name) + " asks for " +
                std::to_string(entry.packed_size) + " bytes and there are " +
                std::to_string(cursor.remaining()) + ".");
  }
  return cursor.take(static_cast<std::size_t>(entry.packed_size));
}

}  // namespace zips

}  // namespace ipu_dsl
