// SPDX-License-Identifier: MIT
// Zip archives: writing stored entries, reading stored ones and, with help, deflated ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/crc32.hpp>
#include <ipu_dsl/formats/entry_inflater.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/formats/zip_reader.hpp>
#include <ipu_dsl/formats/zip_record.hpp>

namespace ipu_dsl {

/// A file in an archive.
struct zip_entry {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// The `entry_inflater` of programs without zlib: throws `error`, saying what to do.
inline std::vector<std::uint8_t> refuse_deflated(std::span<const std::uint8_t>, std::size_t,
                                                 const std::string& name) {
  throw error(name + " is compressed: save it with np.savez, or hand inflate_entry of " +
              "ipu_dsl/formats/gzip.hpp (component gzip) to read_npz or load_weights.");
}

namespace zips {

/// Throws `error` if an entry is packed in another way than the two that are read, or if all
/// entries together claim to unpack to more than `limit` bytes. Stored ones are as large as they
/// lie in the archive and do not count.
inline void check_methods(const std::vector<record>& records, const std::string& name,
                          std::size_t limit) {
  std::uint64_t left = limit;
  for (const record& entry : records) {
    if ((entry.flags & encrypted_flag) != 0 ||
        (entry.method != stored && entry.method != deflated)) {
      throw error(name + "/" + printable(entry.name) + " is encrypted or packed by method " +
                  std::to_string(entry.method) + "; expected 0 (stored) or 8 (deflated).");
    }
    if (entry.method == deflated && entry.size > left) {
      throw error(name + " claims to unpack to more than " + std::to_string(limit) + " bytes.");
    }
    left -= entry.method == deflated ? entry.size : 0;
  }
}

/// The content of an entry. `name` is what the sentences call it.
inline std::vector<std::uint8_t> unpack(std::span<const std::uint8_t> packed, const record& entry,
                                        const std::string& name, entry_inflater inflater) {
  if (entry.method == deflated) {
    return inflater(packed, static_cast<std::size_t>(entry.size), name);
  }
  if (entry.size != entry.packed_size) {
    throw error(name + " is corrupt: stored as " + std::to_string(entry.packed_size) +
                " bytes, yet of " + std::to_string(entry.size) + ".");
  }
  return {packed.begin(), packed.end()};
}

/// What a stored entry says of itself when it lies at `offset`.
inline record record_of(const zip_entry& entry, std::size_t offset) {
  const std::size_t size = entry.bytes.size();
  return {.name = entry.name,
          .flags = is_ascii(entry.name) ? 0 : utf8_flag,
          .method = stored,
          .checksum = crc32_of(entry.bytes),
          .packed_size = size,
          .size = size,
          .local_offset = offset};
}

/// The size of an archive, at most: with Zip64 wherever it could be.
inline std::size_t size_at_most(std::span<const zip_entry> entries) {
  constexpr std::size_t extra = 4 + 3 * 8;
  std::size_t size = end64_size + locator_size + end_size;
  for (const zip_entry& entry : entries) {
    size += local_size + central_size + 2 * (entry.name.size() + extra) + entry.bytes.size();
  }
  return size;
}

}  // namespace zips

/// The bytes of an archive of stored entries, in Zip64 if there are 65535 of them or more, or 4 GiB
/// or more. Names beyond ASCII are marked as UTF-8. Throws `error` if a name is no UTF-8, has a
/// NUL, or more than 65535 bytes.
inline std::vector<std::uint8_t> zip_bytes(std::span<const zip_entry> entries) {
  for (const zip_entry& entry : entries) {
    zips::check_name(entry.name, "The archive");
  }
  std::vector<std::uint8_t> bytes;
  bytes.reserve(zips::size_at_most(entries));
  std::vector<std::uint8_t> records;
  for (const zip_entry& entry : entries) {
    const zips::record record = zips::record_of(entry, bytes.size());
    zips::append_central(records, record);
    zips::append_local(bytes, record);
    bytes.insert(bytes.end(), entry.bytes.begin(), entry.bytes.end());
  }
  const std::size_t offset = bytes.size();
  bytes.insert(bytes.end(), records.begin(), records.end());
  zips::append_end(bytes, {entries.size(), records.size(), offset});
  return bytes;
}

/// Every file of an archive, Zip64 or not, checksums verified. `name` is what the sentences call
/// the archive. Throws `error` if anything about it is wrong, before anything is unpacked if its
/// deflated entries claim to unpack to more than `limit` bytes in all.
inline std::vector<zip_entry> parse_zip(std::span<const std::uint8_t> bytes,
                                        const std::string& name,
                                        entry_inflater inflater = refuse_deflated,
                                        std::size_t limit = default_unpacked_limit) {
  const std::vector<zips::record> records = zips::take_records(bytes, name);
  zips::check_methods(records, name, limit);
  std::vector<zip_entry> entries;
  std::size_t packed_total = 0;
  for (const zips::record& record : records) {
    const std::string entry_name = name + "/" + printable(record.name);
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
