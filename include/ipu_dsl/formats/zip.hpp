// SPDX-License-Identifier: MIT
// Zip archives: writing stored entries, reading stored ones and, with help, deflated ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/entry_inflater.hpp>
#include <ipu_dsl/formats/zip_reader.hpp>
#include <ipu_dsl/formats/zip_writer.hpp>

namespace ipu_dsl {

/// A file in an archive.
struct zip_entry {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// The bytes of an archive of stored entries, in Zip64 if there are 65535 of them or more, or 4 GiB
/// or more. Names beyond ASCII are marked as UTF-8. Throws `error` if a name is no UTF-8, has a
/// NUL, or more than 65535 bytes.
inline std::vector<std::uint8_t> zip_bytes(std::span<const zip_entry> entries) {
  zips::archive_writer archive;
  for (const zip_entry& entry : entries) {
    archive.add(entry.name, entry.bytes);
  }
  return archive.finish();
}

/// Every file of an archive, Zip64 or not, checksums verified. `name` is what the sentences call
/// the archive. Throws `error` if anything about it is wrong, before anything is unpacked if its
/// deflated entries claim to unpack to more than `limit` bytes in all.
inline std::vector<zip_entry> parse_zip(std::span<const std::uint8_t> bytes,
                                        const std::string& name,
                                        entry_inflater inflater = refuse_deflated,
                                        std::size_t limit = default_unpacked_limit) {
  zips::archive_reader archive(bytes, name, inflater, limit);
  std::vector<zip_entry> entries;
  for (std::size_t i = 0; i < archive.size(); ++i) {
    zips::entry_content content = archive.take(i);
    if (content.unpacked.empty()) {
      content.unpacked.assign(content.bytes.begin(), content.bytes.end());
    }
    entries.push_back({std::string(archive.at(i).name), std::move(content.unpacked)});
  }
  return entries;
}

}  // namespace ipu_dsl
