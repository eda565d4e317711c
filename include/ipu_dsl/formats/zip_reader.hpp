// SPDX-License-Identifier: MIT
// Reads what a zip archive says of its entries. Nothing it says is believed.
// Over 300 lines: records, directories and entries are checked against each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/crc32.hpp>
#include <ipu_dsl/formats/entry_inflater.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/formats/zip_record.hpp>

namespace ipu_dsl {

/// The `entry_inflater` of programs without zlib: throws `error`, saying what to do.
inline std::vector<std::uint8_t> refuse_deflated(std::span<const std::uint8_t>, std::size_t,
                                                 const std::string& name) {
  raise_error({name,
               " is compressed: save it with np.savez, or hand inflate_entry of "
               "ipu_dsl/formats/gzip.hpp (component gzip) to what reads it: read_npz(path, "
               "inflate_entry), load_by_name(weights, path, {.inflater = inflate_entry})."});
}

namespace zips {

/// A cursor at an offset that the archive itself names. One that no memory can hold is as good as
/// the end.
inline byte_cursor cursor_at(std::span<const std::uint8_t> bytes, std::string_view name,
                             std::uint64_t offset) {
  return {bytes, name, offset < bytes.size() ? static_cast<std::size_t>(offset) : bytes.size()};
}

/// Where the end record begins: it is last, but for a comment of at most 65535 bytes.
inline std::size_t find_end(std::span<const std::uint8_t> bytes, std::string_view name) {
  constexpr std::size_t longest = end_size + 0xFFFF;
  const std::size_t most = bytes.size() < longest ? bytes.size() : longest;
  for (std::size_t back = end_size; back <= most; ++back) {
    byte_cursor cursor(bytes, name, bytes.size() - back);
    if (cursor.little_endian_32() == end_signature) {
      return bytes.size() - back;
    }
  }
  raise_error(
      {name, " is no zip archive, or truncated: its ", bytes.size(), " bytes hold no end record."});
}

/// Throws `error` unless a number is the one that Zip64's end has, or says that it stands there.
[[gnu::cold]] inline void check_long(std::uint64_t number, std::uint64_t elsewhere,
                                     std::uint64_t long_number, std::string_view name) {
  if (number != elsewhere && number != long_number) {
    raise_error({name, " is corrupt: its two end records say ", number, " and ", long_number,
                 " of the same thing."});
  }
}

/// Throws `error` if an archive goes over several disks.
inline void check_disks(bool one, std::string_view name) {
  if (!one) {
    raise_error({name, " is a part of an archive of several files; expected a whole one."});
  }
}

/// What Zip64's end says, if something leads to it from before the end record at `end`; what
/// `found` says otherwise.
[[gnu::cold]] inline directory take_end64(std::span<const std::uint8_t> bytes,
                                          std::string_view name, std::size_t end,
                                          const directory& found) {
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
    raise_error({name, " is corrupt: no end record of Zip64 at position ", position, "."});
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
[[gnu::cold]] inline directory_bytes find_directory(std::span<const std::uint8_t> bytes,
                                                    std::string_view name) {
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
    raise_error({name, " is corrupt: a directory of ", found.size, " bytes at position ",
                 found.offset, " does not end before the end record at ", end, "."});
  }
  const std::size_t begin = static_cast<std::size_t>(found.offset);
  const std::size_t behind = begin + static_cast<std::size_t>(found.size);
  return {{bytes.data(), behind}, begin, found.entries};
}

/// Replaces the numbers that stand elsewhere by those of the extra field of Zip64.
[[gnu::cold]] inline void take_long_numbers(record& entry, std::span<const std::uint8_t> extra,
                                            std::string_view name) {
  byte_cursor fields(extra, name);
  while (fields.remaining() >= 4) {
    const std::uint32_t kind = fields.little_endian_16();
    const std::size_t length = fields.little_endian_16();
    if (length > fields.remaining()) {
      raise_error({name, " is corrupt: an extra field is longer than all of them."});
    }
    byte_cursor field(fields.take(length), name);
    for (std::uint64_t* const number : {&entry.size, &entry.packed_size, &entry.local_offset}) {
      if (kind == zip64_field && *number == elsewhere_32) {
        *number = field.little_endian_64();
      }
    }
  }
}

/// What sentences call an entry of an archive.
inline std::string name_of(const record& entry, std::string_view archive) {
  return sentence_of({archive, "/", printable(entry.name)});
}

/// The next record of the directory.
[[gnu::cold]] inline record take_record(byte_cursor& cursor, std::string_view name) {
  if (cursor.little_endian_32() != central_signature) {
    raise_error(
        {name, " is corrupt: no entry of the directory at position ", cursor.position() - 4, "."});
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
  take_long_numbers(taken, cursor.take(extra_length), name_of(taken, name));
  cursor.take(comment_length);
  return taken;
}

/// All records of the directory. Throws `error` if they are more or fewer than the end of the
/// archive counts.
[[gnu::cold]] inline list<record> take_records(std::span<const std::uint8_t> bytes,
                                               std::string_view name) {
  const directory_bytes found = find_directory(bytes, name);
  byte_cursor cursor(found.upto_end, name, found.begin);
  list<record> records;
  while (cursor.remaining() > 0) {
    records.push_back(take_record(cursor, name));
  }
  if (records.size() != found.entries) {
    raise_error({name, " is corrupt: its directory has ", records.size(),
                 " entries, its end record counts ", found.entries, "."});
  }
  return records;
}

/// The packed bytes of an entry, behind its local record.
[[gnu::cold]] inline std::span<const std::uint8_t> find_packed(std::span<const std::uint8_t> bytes,
                                                               const record& entry,
                                                               std::string_view name) {
  byte_cursor cursor = cursor_at(bytes, name, entry.local_offset);
  if (cursor.remaining() < local_size || cursor.little_endian_32() != local_signature) {
    raise_error({name, " is corrupt: no entry ", printable(entry.name), " at position ",
                 entry.local_offset, "."});
  }
  cursor.take(local_size - 8);
  const std::size_t name_length = cursor.little_endian_16();
  const std::size_t extra_length = cursor.little_endian_16();
  const std::string_view local_name = cursor.take_text(name_length);
  if (local_name != entry.name) {
    raise_error({name, " is corrupt: the directory calls an entry ", printable(entry.name),
                 ", the entry itself ", printable(local_name), "."});
  }
  cursor.take(extra_length);
  if (entry.packed_size > cursor.remaining()) {
    raise_error({name, " is truncated: its entry ", printable(entry.name), " asks for ",
                 entry.packed_size, " bytes and there are ", cursor.remaining(), "."});
  }
  return cursor.take(static_cast<std::size_t>(entry.packed_size));
}

/// Throws `error` if an entry is packed in another way than the two that are read, or if all
/// entries together claim to unpack to more than `limit` bytes. Stored ones are as large as they
/// lie in the archive and do not count.
inline void check_methods(const list<record>& records, std::string_view name, std::size_t limit) {
  std::uint64_t left = limit;
  for (const record& entry : records) {
    if ((entry.flags & encrypted_flag) != 0 ||
        (entry.method != stored && entry.method != deflated)) {
      raise_error({name_of(entry, name), " is encrypted or packed by method ", entry.method,
                   "; expected 0 (stored) or 8 (deflated)."});
    }
    if (entry.method == deflated && entry.size > left) {
      raise_error({name, " claims to unpack to more than ", limit, " bytes."});
    }
    left -= entry.method == deflated ? entry.size : 0;
  }
}

/// The content of an entry.
struct entry_content {
  std::span<const std::uint8_t> bytes;
  std::vector<std::uint8_t> unpacked;  ///< where they lie unless they lie in the archive
};

/// An archive whose directory was read and checked, and whose entries are unpacked one by one.
class archive_reader {
 public:
  /// Bytes and name must outlive it. Throws `error` as `parse_zip` does.
  archive_reader(std::span<const std::uint8_t> bytes, const std::string& name,
                 entry_inflater inflater, std::size_t limit)
      : bytes_(bytes), name_(name), inflater_(inflater), records_(take_records(bytes, name)) {
    check_methods(records_, name, limit);
  }

  std::size_t size() const { return records_.size(); }

  const record& at(std::size_t index) const { return records_[index]; }

  /// What sentences call an entry.
  std::string name_of(std::size_t index) const { return zips::name_of(records_[index], name_); }

  /// The content of an entry, its checksum verified. Each may be asked for once. Throws `error` if
  /// anything about it is wrong.
  entry_content take(std::size_t index) {
    const record& entry = records_[index];
    const std::span<const std::uint8_t> packed = find_packed(bytes_, entry, name_);
    packed_total_ += packed.size();
    // Entries that share bytes make a small hostile file fill the memory.
    if (packed_total_ > bytes_.size()) {
      raise_error({name_, " is corrupt: its entries overlap."});
    }
    entry_content taken = unpack(packed, index);
    if (crc32_of(taken.bytes) != entry.checksum) {
      raise_error({name_of(index), " is corrupt: its checksum is not the one recorded."});
    }
    return taken;
  }

 private:
  [[gnu::cold]] entry_content unpack(std::span<const std::uint8_t> packed,
                                     std::size_t index) const {
    const record& entry = records_[index];
    entry_content content{packed, {}};
    if (entry.method == deflated) {
      content.unpacked = inflater_(packed, static_cast<std::size_t>(entry.size), name_of(index));
      content.bytes = {content.unpacked.data(), content.unpacked.size()};
    } else if (entry.size != entry.packed_size) {
      raise_error({name_of(index), " is corrupt: stored as ", entry.packed_size, " bytes, yet of ",
                   entry.size, "."});
    }
    return content;
  }

  std::span<const std::uint8_t> bytes_;
  const std::string& name_;
  entry_inflater inflater_;
  list<record> records_;
  std::size_t packed_total_ = 0;
};

}  // namespace zips

}  // namespace ipu_dsl
