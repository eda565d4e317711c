// SPDX-License-Identifier: MIT
// Whole files in and out.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/exceptions.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/file_replacement.hpp>

namespace ipu_dsl {

/// Turns a path into the bytes that a format parses. `read_file` is the plain one;
/// `read_file_or_gzip` of formats/gzip.hpp also unpacks.
using file_reader = std::vector<std::uint8_t> (*)(const std::string& path);

/// How much `read_file` takes of what has no size, a pipe or a device: more is refused.
inline constexpr std::size_t default_stream_limit = std::size_t{1} << 30;

namespace files {

/// The size of an open file, or 0 if it has none.
inline std::size_t size_of(std::FILE* file) {
#if IPU_DSL_POSIX_FILES
  struct stat found = {};
  const bool known = ::fstat(::fileno(file), &found) == 0 && S_ISREG(found.st_mode);
  return known ? static_cast<std::size_t>(found.st_size) : 0;
#else
  static_cast<void>(file);
  return 0;
#endif
}

/// `size` bytes, to be read. Throws `error` if there is no memory for them.
inline std::vector<std::uint8_t> room_for(std::size_t size, const std::string& path) {
  try {
    return std::vector<std::uint8_t>(size);
  } catch (const std::bad_alloc&) {
    raise_error({"Cannot read ", path, ": there is no memory for its ", size, " bytes."});
  }
}

/// Reads an open file to its end. Throws `error` if that fails, or if it goes on behind the size
/// that it has, or `stream_limit`, whichever is more.
[[gnu::cold]] inline std::vector<std::uint8_t> read_open(std::FILE* file, const std::string& path,
                                                         std::size_t stream_limit) {
  std::vector<std::uint8_t> bytes = room_for(size_of(file), path);
  const std::size_t most = bytes.size() > stream_limit ? bytes.size() : stream_limit;
  // Nothing has no address, and fread must not be given none.
  bytes.resize(bytes.empty() ? 0 : std::fread(bytes.data(), 1, bytes.size(), file));
  // A pipe has no size, and files of the system itself may say 0.
  std::vector<std::uint8_t> piece(std::size_t{1} << 16);
  std::size_t got = piece.size();
  while (got == piece.size() && bytes.size() <= most) {
    got = std::fread(piece.data(), 1, piece.size(), file);
    append_bytes(bytes, piece.data(), got);
  }
  // A directory opens like a file and refuses here.
  if (std::ferror(file) != 0) {
    raise_error({"Cannot read ", path, ": ", std::strerror(errno), "."});
  }
  if (bytes.size() > most) {
    raise_error({"Cannot read ", path, ": it goes on behind ", most, " bytes."});
  }
  return bytes;
}

}  // namespace files

/// True if there is something at `path` that can be opened for reading.
inline bool file_exists(const std::string& path) {
  return files::handle(std::fopen(path.c_str(), "rb")) != nullptr;
}

/// The bytes of the file at `path`, as they are. Throws `error` if it cannot be read, or if it has
/// no size and goes on behind `default_stream_limit`.
[[gnu::cold]] inline std::vector<std::uint8_t> read_file(const std::string& path) {
  files::check_path(path);
  const files::handle file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    raise_error({"Cannot open ", path, ": ", std::strerror(errno), "."});
  }
  return files::read_open(file.get(), path, default_stream_limit);
}

namespace files {

/// Throws `error` for the path of an NPZ archive that ends as files of other formats do: whoever
/// finds it there takes it for one.
inline void check_archive_path(const std::string& path) {
  check_path(path);
  constexpr std::string_view others[] = {".h5", ".hdf5", ".keras", ".safetensors",
                                         ".pt", ".pth",  ".onnx",  ".tflite"};
  for (const std::string_view ending : others) {
    if (path.ends_with(ending)) {
      raise_error({"Expected a path such as weights.npz for an NPZ archive, got ", path,
                   ", which ends as files of another format do."});
    }
  }
}

}  // namespace files

/// Makes `bytes` the content of the file at `path`. A reader sees the old content or the new, never
/// a part, even if the power fails: it is written to a file of its own beside `path`, brought to
/// the disk, and renamed. Several writers do not disturb each other; the last one wins.
///
/// - The mode of the old file is kept, its owner and group as far as the system allows; access
///   lists are not, and other hard links keep the old content.
/// - A symbolic link stays, and what it leads to is replaced.
/// - What is no file but takes bytes (a pipe, a terminal, /dev/null) is written to directly.
///
/// Throws `error`, and leaves the old content and nothing beside it, if that fails, for a directory
/// or a disk, and for a file that may not be written. Elsewhere than on POSIX systems a file is
/// written beside `path` and renamed, no more.
inline void write_file_atomically(const std::string& path, std::span<const std::uint8_t> bytes) {
  files::check_path(path);
  files::replace(path, bytes);
}

}  // namespace ipu_dsl
