// SPDX-License-Identifier: MIT
// The checksum of zip archives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

namespace checksums {

/// The remainder of every byte, bits lowest first.
constexpr std::array<std::uint32_t, 256> crc32_table() {
  constexpr std::uint32_t polynomial = 0xEDB8'8320;
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder & 1) != 0 ? remainder >> 1 ^ polynomial : remainder >> 1;
    }
    table[byte] = remainder;
  }
  return table;
}

inline constexpr std::array<std::uint32_t, 256> crc32_remainders = crc32_table();

}  // namespace checksums

/// CRC-32 as in ISO 3309 and PKZIP's APPNOTE (reflected, initial value and final xor all ones).
constexpr std::uint32_t crc32_of(std::span<const std::uint8_t> bytes) {
  std::uint32_t remainder = 0xFFFF'FFFF;
  for (const std::uint8_t byte : bytes) {
    remainder = remainder >> 8 ^ checksums::crc32_remainders[(remainder ^ byte) & 255];
  }
  return ~remainder;
}

}  // namespace ipu_dsl
