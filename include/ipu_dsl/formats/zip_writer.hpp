// SPDX-License-Identifier: MIT
// Writes zip archives of stored entries: local records, the directory, its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/crc32.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/formats/zip_record.hpp>

namespace ipu_dsl {

namespace zips {

/// The numbers of a record that need 64 bits, in the order in which their field has them.
struct long_numbers {
  std::uint64_t values[3] = {};
  std::size_t count = 0;

  long_numbers(const record& entry, bool with_offset) {
    if (long_sizes(entry)) {
      values[0] = entry.size;
      values[1] = entry.packed_size;
      count = 2;
    }
    if (with_offset && entry.local_offset >= elsewhere_32) {
      values[count] = entry.local_offset;
      ++count;
    }
  }

  /// Whether the sizes of an entry stand elsewhere: both do if one must.
  static bool long_sizes(const record& entry) {
    return entry.size >= elsewhere_32 || entry.packed_size >= elsewhere_32;
  }
};

/// A number, or what says that it stands elsewhere.
constexpr std::uint64_t at_most(std::uint64_t number, std::uint64_t elsewhere) {
  return number < elsewhere ? number : elsewhere;
}

/// What local and central records have in common: version to checksum, sizes, lengths of the name
/// and of the extra field.
inline void append_common(std::vector<std::uint8_t>& bytes, const record& entry,
                          std::size_t long_count) {
  constexpr std::uint32_t first_of_january_1980 = 0x0021;
  const bool long_sizes = long_numbers::long_sizes(entry);
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
inline void append_long_numbers(std::vector<std::uint8_t>& bytes, const long_numbers& numbers) {
  if (numbers.count == 0) {
    return;
  }
  append_little_endian(bytes, zip64_field, 2);
  append_little_endian(bytes, 8 * numbers.count, 2);
  for (std::size_t i = 0; i < numbers.count; ++i) {
    append_little_endian(bytes, numbers.values[i], 8);
  }
}

/// The record before the content of an entry.
inline void append_local(std::vector<std::uint8_t>& bytes, const record& entry) {
  const long_numbers numbers(entry, false);
  append_little_endian(bytes, local_signature, 4);
  append_common(bytes, entry, numbers.count);
  append_text(bytes, entry.name);
  append_long_numbers(bytes, numbers);
}

/// The record of the directory.
inline void append_central(std::vector<std::uint8_t>& bytes, const record& entry) {
  const long_numbers numbers(entry, true);
  append_little_endian(bytes, central_signature, 4);
  append_little_endian(bytes, numbers.count == 0 ? 20 : 45, 2);  // made by this version
  append_common(bytes, entry, numbers.count);
  append_little_endian(bytes, 0, 2);  // no comment
  append_little_endian(bytes, 0, 2);  // first disk
  append_little_endian(bytes, 0, 2);  // internal attributes
  append_little_endian(bytes, 0, 4);  // external attributes
  append_little_endian(bytes, at_most(entry.local_offset, elsewhere_32), 4);
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
  if (found.entries >= elsewhere_16 || found.size >= elsewhere_32 || found.offset >= elsewhere_32) {
    append_end64(bytes, found, found.offset + found.size);
  }
  const std::uint64_t count = at_most(found.entries, elsewhere_16);
  append_little_endian(bytes, end_signature, 4);
  append_little_endian(bytes, 0, 4);  // one disk
  append_little_endian(bytes, count, 2);
  append_little_endian(bytes, count, 2);
  append_little_endian(bytes, at_most(found.size, elsewhere_32), 4);
  append_little_endian(bytes, at_most(found.offset, elsewhere_32), 4);
  append_little_endian(bytes, 0, 2);  // no comment
}

/// An archive that grows by stored entries: in Zip64 if there are 65535 of them or more, or 4 GiB
/// or more. Names beyond ASCII are marked as UTF-8.
class archive_writer {
 public:
  /// Throws `error` if the name is no UTF-8, has a NUL, or more than 65535 bytes.
  void add(std::string_view name, std::span<const std::uint8_t> content) {
    check_name(name, "The archive");
    record entry;
    entry.name = name;
    entry.flags = is_ascii(name) ? 0 : utf8_flag;
    entry.checksum = crc32_of(content);
    entry.packed_size = content.size();
    entry.size = content.size();
    entry.local_offset = bytes_.size();
    append_central(records_, entry);
    append_local(bytes_, entry);
    append_bytes(bytes_, content.data(), content.size());
    ++entries_;
  }

  /// The bytes of the archive, with its directory; nothing can be added any more.
  std::vector<std::uint8_t> finish() {
    const std::size_t offset = bytes_.size();
    append_bytes(bytes_, records_.data(), records_.size());
    append_end(bytes_, {entries_, records_.size(), offset});
    return std::move(bytes_);
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint8_t> records_;
  std::uint64_t entries_ = 0;
};

}  // namespace zips

}  // namespace ipu_dsl
