// SPDX-License-Identifier: MIT
// Numbers in bytes, checked against the end of what there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/exceptions.hpp>
#include <ipu_dsl/core/list_view.hpp>

namespace ipu_dsl {

/// What a file may unpack to, all its parts together, unless the caller says otherwise: far above
/// every data set here, and low enough that a small hostile file cannot fill the memory.
inline constexpr std::size_t default_unpacked_limit = std::size_t{1} << 30;

/// Reads through bytes from front to back. Running over the end throws `error` with the name of
/// the file and the numbers, so that a parser need not check before each read. What reads is not
/// inlined: parsers consist of it.
class byte_cursor {
 public:
  /// `name` is the file that the sentences name; it must outlive the cursor.
  byte_cursor(list_view<std::uint8_t> bytes, std::string_view name, std::size_t position = 0)
      : bytes_(bytes), name_(name), position_(position) {}

  /// The index of the next byte.
  std::size_t position() const { return position_; }

  /// How many bytes are left.
  std::size_t remaining() const {
    return position_ < bytes_.size() ? bytes_.size() - position_ : 0;
  }

  /// The next `count` bytes, without a copy.
  [[gnu::noinline]] list_view<std::uint8_t> take(std::size_t count) {
    if (count > remaining()) {
      raise_error({name_, " is truncated: it needs ", count, " bytes at position ", position_,
                   " and has ", remaining(), "."});
    }
    position_ += count;
    return bytes_.part(position_ - count, count);
  }

  /// The next `count` bytes as characters.
  std::string_view take_text(std::size_t count) {
    const list_view<std::uint8_t> taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

  std::uint32_t big_endian_32() {
    std::uint32_t value = 0;
    for (const std::uint8_t byte : take(4)) {
      value = value << 8 | byte;
    }
    return value;
  }

  std::uint16_t little_endian_16() { return static_cast<std::uint16_t>(little_endian(2)); }

  std::uint32_t little_endian_32() { return static_cast<std::uint32_t>(little_endian(4)); }

  std::uint64_t little_endian_64() { return little_endian(8); }

 private:
  [[gnu::noinline]] std::uint64_t little_endian(std::size_t count) {
    std::uint64_t value = 0;
    std::uint32_t shift = 0;
    for (const std::uint8_t byte : take(count)) {
      value |= static_cast<std::uint64_t>(byte) << shift;
      shift += 8;
    }
    return value;
  }

  list_view<std::uint8_t> bytes_;
  std::string_view name_;
  std::size_t position_;
};

/// Appends `count` bytes.
[[gnu::noinline]] inline void append_bytes(std::vector<std::uint8_t>& bytes, const void* more,
                                           std::size_t count) {
  const std::size_t size = bytes.size();
  bytes.resize(size + count);
  // Nothing has no address, and memcpy must not be given none.
  if (count > 0) {
    std::memcpy(bytes.data() + size, more, count);
  }
}

/// Appends the low `count` bytes of `value`, at most 8, lowest first.
inline void append_little_endian(std::vector<std::uint8_t>& bytes, std::uint64_t value,
                                 std::size_t count) {
  std::uint8_t low[8];
  for (std::size_t i = 0; i < count; ++i) {
    low[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  append_bytes(bytes, low, count);
}

/// Appends the characters of `words`.
inline void append_text(std::vector<std::uint8_t>& bytes, std::string_view words) {
  append_bytes(bytes, words.data(), words.size());
}

/// True if the bytes begin as a gzip file does.
inline bool looks_like_gzip(list_view<std::uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

}  // namespace ipu_dsl
