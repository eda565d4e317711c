// SPDX-License-Identifier: MIT
// A number for many bytes: of names, of weights.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// FNV-1a of 64 bits over what it takes, byte after byte.
struct fnv_1a {
  std::uint64_t value = 14695981039346656037U;

  constexpr fnv_1a& take(std::string_view letters) {
    for (const char letter : letters) {
      take_byte(static_cast<unsigned char>(letter));
    }
    return *this;
  }

  /// The lowest byte first.
  constexpr fnv_1a& take(std::uint32_t word) {
    for (int shift = 0; shift < 32; shift += 8) {
      take_byte((word >> shift) & 0xFFU);
    }
    return *this;
  }

 private:
  constexpr void take_byte(std::uint32_t byte) { value = (value ^ byte) * 1099511628211U; }
};

}  // namespace ipu_dsl
