// SPDX-License-Identifier: MIT
// NPZ, NumPy's format of several named arrays: a zip archive of NPY files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/npy.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/formats/zip.hpp>

namespace ipu_dsl {

/// An array and the name that `np.load(path)[name]` finds it by.
struct npz_entry {
  std::string name;
  npy_array array;

  friend bool operator==(const npz_entry&, const npz_entry&) = default;
};

namespace npz {

inline constexpr std::string_view suffix = ".npy";

/// Throws `error` if two arrays have the same name: one of them would never be found.
inline void check_names(std::span<const npz_entry> entries, const std::string& name) {
  std::vector<std::string_view> names;
  for (const npz_entry& entry : entries) {
    names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    raise_error({name, " has two arrays of the name ", printable(*twice), "."});
  }
}

}  // namespace npz

/// The bytes of an NPZ file, uncompressed as of `np.savez`. Equal arrays give equal bytes. Throws
/// `error` if two names are the same, or if one is no UTF-8 or has a NUL: NumPy would not find it.
inline std::vector<std::uint8_t> npz_bytes(std::span<const npz_entry> entries) {
  npz::check_names(entries, "The archive");
  std::vector<zip_entry> files;
  for (const npz_entry& entry : entries) {
    files.push_back({entry.name + std::string(npz::suffix), npy_bytes(entry.array)});
  }
  return zip_bytes(files);
}

/// The arrays of an archive, and what else is in it.
struct npz_archive {
  std::vector<npz_entry> arrays;
  std::vector<std::string> other_files;  ///< names of those that are no *.npy
};

/// Parses the bytes of an archive of arrays and of other files, which are not looked into. `name`
/// is what the sentences call it. Throws `error` if anything else about it is wrong; compressed
/// entries ask for an `inflater` that can unpack them, and may unpack to `limit` bytes in all.
inline npz_archive parse_npz_archive(std::span<const std::uint8_t> bytes, const std::string& name,
                                     entry_inflater inflater = refuse_deflated,
                                     std::size_t limit = default_unpacked_limit) {
  npz_archive found;
  for (zip_entry& file : parse_zip(bytes, name, inflater, limit)) {
    if (!file.name.ends_with(npz::suffix)) {
      found.other_files.push_back(std::move(file.name));
      continue;
    }
    const std::string array = file.name.substr(0, file.name.size() - npz::suffix.size());
    found.arrays.push_back({array, parse_npy(file.bytes, name + "/" + printable(file.name))});
  }
  npz::check_names(found.arrays, name);
  return found;
}

/// Parses the bytes of an NPZ file: the same of one that holds arrays alone. Throws `error` if it
/// does not.
inline std::vector<npz_entry> parse_npz(std::span<const std::uint8_t> bytes,
                                        const std::string& name,
                                        entry_inflater inflater = refuse_deflated,
                                        std::size_t limit = default_unpacked_limit) {
  npz_archive found = parse_npz_archive(bytes, name, inflater, limit);
  if (!found.other_files.empty()) {
    raise_error(
        {name, " holds a file ", printable(found.other_files[0]), "; expected files *.npy alone."});
  }
  return std::move(found.arrays);
}

/// Reads the NPZ file at `path`. Throws `error` if it is missing or anything about it is wrong.
inline std::vector<npz_entry> read_npz(const std::string& path,
                                       entry_inflater inflater = refuse_deflated,
                                       std::size_t limit = default_unpacked_limit) {
  return parse_npz(read_file(path), path, inflater, limit);
}

/// Makes the arrays the content of the NPZ file at `path`, as `write_file_atomically` does. Throws
/// `error` if that fails.
inline void write_npz(const std::string& path, std::span<const npz_entry> entries) {
  write_file_atomically(path, npz_bytes(entries));
}

/// The array called `name`, or null.
inline const npy_array* find_array(std::span<const npz_entry> entries, std::string_view name) {
  for (const npz_entry& entry : entries) {
    if (entry.name == name) {
      return &entry.array;
    }
  }
  return nullptr;
}

}  // namespace ipu_dsl
