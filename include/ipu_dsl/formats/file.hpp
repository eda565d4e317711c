// SPDX-License-Identifier: MIT
// Whole files in and out.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/error.hpp>

namespace ipu_dsl {

/// Turns a path into the bytes that a format parses. `read_file` is the plain one;
/// `read_file_or_gzip` of formats/gzip.hpp also unpacks.
using file_reader = std::vector<std::uint8_t> (*)(const std::string& path);

namespace files {

/// Closes a file when its handle goes.
struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// An open file, or null.
using handle = std::unique_ptr<std::FILE, closer>;

}  // namespace files

/// True if there is something at `path` that can be opened for reading.
inline bool file_exists(const std::string& path) {
  return files::handle(std::fopen(path.c_str(), "rb")) != nullptr;
}

/// The bytes of the file at `path`, as they are. Throws `error` if it cannot be read.
inline std::vector<std::uint8_t> read_file(const std::string& path) {
  const files::handle file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    throw error("Cannot open " + path + ": " + std::strerror(errno) + ".");
  }
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::vector<std::uint8_t> bytes;
  std::size_t got = piece;
  while (got == piece) {
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    got = std::fread(bytes.data() + before, 1, piece, file.get());
    bytes.resize(before + got);
  }
  // A directory opens like a file and refuses here.
  if (std::ferror(file.get()) != 0) {
    throw error("Cannot read " + path + ": " + std::strerror(errno) + ".");
  }
  return bytes;
}

/// Makes `bytes` the content of the file at `path`: written beside it under the name
/// `path` + ".partial", then renamed, so that a reader sees the old content or the new, never a
/// part. Throws `error`, and leaves the old content, if that fails.
inline void write_file_atomically(const std::string& path, std::span<const std::uint8_t> bytes) {
  const std::string partial = path + ".partial";
  files::handle file(std::fopen(partial.c_str(), "wb"));
  if (file == nullptr) {
    throw error("Cannot write " + partial + ": " + std::strerror(errno) + ".");
  }
  // Nothing has no address, and fwrite must not be given none.
  const bool written =
      bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  // A full disk may show only when the last bytes leave the buffer.
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed || std::rename(partial.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(partial.c_str());
    throw error("Cannot write " + path + ": " + reason + ".");
  }
}

}  // namespace ipu_dsl
