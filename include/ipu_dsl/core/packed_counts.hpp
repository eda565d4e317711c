// SPDX-License-Identifier: MIT
// Counts in one number. What is computed from a user's own functions is put into
// `inline const std::uint64_t`: a variable that is a number and not constexpr may turn out to be no
// constant without an error, so that the library can ask, and say it in a sentence.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ipu_dsl {

/// Not constexpr: an evaluation that gets here is no constant.
inline void count_is_too_large() {}

/// A count that lies in so many bits of a number, `shift` from its end.
constexpr std::uint64_t packed_count(std::size_t count, int bits, int shift) {
  if (count >> bits != 0) {
    count_is_too_large();
  }
  return std::uint64_t{count} << shift;
}

constexpr std::size_t unpacked_count(std::uint64_t packed, int bits, int shift) {
  return packed >> shift & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace ipu_dsl
