// SPDX-License-Identifier: MIT
// Opt-in, needs zlib (component gzip): unpacks gzip files and the deflated entries of archives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>
#include <zlib.h>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/file.hpp>

namespace ipu_dsl {

namespace gzips {

/// The frame around deflated data, as zlib's `inflateInit2` wants to be told.
enum class frame : int {
  gzip = 16 + MAX_WBITS,
  none = -MAX_WBITS,
};

/// A stream of zlib, ended when it goes out of scope.
class inflater {
 public:
  inflater(frame around, std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    if (inflateInit2(&stream_, static_cast<int>(around)) != Z_OK) {
      raise_error("zlib could not be started; is there memory left?");
    }
  }

  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;

  ~inflater() { inflateEnd(&stream_); }

  /// Fills `room` as far as the data goes; `written` grows by what was unpacked. Returns zlib's
  /// status.
  int fill(std::span<std::uint8_t> room, std::size_t& written) {
    constexpr std::size_t most = (std::numeric_limits<uInt>::max)();
    const std::size_t offered = (std::min)(bytes_.size() - consumed_, most);
    const std::size_t space = (std::min)(room.size(), most);
    // zlib's interface has no const, yet it does not write to its input.
    stream_.next_in = const_cast<Bytef*>(bytes_.data() + consumed_);
    stream_.avail_in = static_cast<uInt>(offered);
    stream_.next_out = room.data();
    stream_.avail_out = static_cast<uInt>(space);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    consumed_ += offered - stream_.avail_in;
    written += space - stream_.avail_out;
    return status;
  }

  /// Starts over with the next member of the same file.
  void next_member() { inflateReset(&stream_); }

  /// What zlib has not consumed yet.
  std::span<const std::uint8_t> rest() const { return bytes_.subspan(consumed_); }

 private:
  z_stream stream_ = {};
  std::span<const std::uint8_t> bytes_;
  std::size_t consumed_ = 0;
};

/// How much room to unpack to when `written` bytes are full: at most one byte above the limit, so
/// that exactly the limit still fits and one byte more is seen.
constexpr std::size_t next_size(std::size_t written, std::size_t limit) {
  const std::size_t wanted = (std::max)(2 * written, std::size_t{1} << 16);
  return wanted > limit ? (std::max)(limit, limit + 1) : wanted;
}

/// Throws `error` unless zlib said that all is well.
inline void check_status(int status, std::size_t unpacked, const inflater& stream,
                         const std::string& name) {
  if (status == Z_OK || status == Z_STREAM_END) {
    return;
  }
  if (status == Z_BUF_ERROR && stream.rest().empty()) {
    raise_error(
        {name, " is truncated: its compressed data stop after ", unpacked, " unpacked bytes."});
  }
  raise_error({name, " is corrupt: its compressed data make no sense after ", unpacked,
               " unpacked bytes."});
}

}  // namespace gzips

/// Unpacks the bytes of a gzip file, of all its members. `name` is what the sentences call it.
/// Throws `error` if they are truncated or corrupt, if something else follows, or if they unpack
/// to more than `limit` bytes, all members together.
inline std::vector<std::uint8_t> gunzip(std::span<const std::uint8_t> bytes,
                                        const std::string& name,
                                        std::size_t limit = default_unpacked_limit) {
  gzips::inflater stream(gzips::frame::gzip, bytes);
  std::vector<std::uint8_t> unpacked;
  std::size_t written = 0;
  while (true) {
    if (written == unpacked.size()) {
      unpacked.resize(gzips::next_size(written, limit));
    }
    const int status = stream.fill(std::span(unpacked).subspan(written), written);
    gzips::check_status(status, written, stream, name);
    if (written > limit) {
      raise_error({name, " unpacks to more than ", limit, " bytes."});
    }
    if (status != Z_STREAM_END) {
      continue;
    }
    if (stream.rest().empty()) {
      unpacked.resize(written);
      return unpacked;
    }
    if (!looks_like_gzip(stream.rest())) {
      raise_error(
          {name, " has ", stream.rest().size(), " bytes behind the end of its compressed data."});
    }
    stream.next_member();
  }
}

/// Unpacks raw deflated data to exactly `size` bytes: what `read_npz` asks for, which limits what
/// all entries of an archive unpack to. Throws `error` if they are truncated or corrupt or of
/// another size.
inline std::vector<std::uint8_t> inflate_entry(std::span<const std::uint8_t> bytes,
                                               std::size_t size, const std::string& name) {
  // Deflate packs 1032 bytes into one at best: a size beyond that is forged.
  if (size / 1032 > bytes.size()) {
    raise_error({name, " claims to unpack ", bytes.size(), " bytes to ", size, "."});
  }
  gzips::inflater stream(gzips::frame::none, bytes);
  std::vector<std::uint8_t> unpacked(size + 1);
  std::size_t written = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END && written <= size) {
    status = stream.fill(std::span(unpacked).subspan(written), written);
    gzips::check_status(status, written, stream, name);
  }
  if (written != size || !stream.rest().empty()) {
    raise_error({name, " unpacks to a size other than the ", size, " bytes it claims."});
  }
  unpacked.resize(size);
  return unpacked;
}

/// A `file_reader` that unpacks what is a gzip file and passes on everything else as it is.
inline std::vector<std::uint8_t> read_file_or_gzip(const std::string& path) {
  std::vector<std::uint8_t> bytes = read_file(path);
  if (looks_like_gzip(bytes)) {
    return gunzip(bytes, path);
  }
  return bytes;
}

}  // namespace ipu_dsl
