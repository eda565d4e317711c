// SPDX-License-Identifier: MIT
// Damages a file in every small way and watches what its parser does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ipu_dsl/core/error.hpp>

namespace ipu_dsl::tests {

/// What became of the damaged files. Anything but parsing or `error` ends the test program.
struct mutation_counts {
  std::size_t parsed = 0;
  std::size_t refused = 0;
};

/// Parses `bytes`, which may throw nothing but `error`.
template <typename Parser>
void count_one(const std::vector<std::uint8_t>& bytes, const Parser& parse,
               mutation_counts& counts) {
  // A copy of exactly this size, so that a sanitizer sees the first byte read behind the end.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  try {
    parse(std::span<const std::uint8_t>(exact));
    ++counts.parsed;
  } catch (const error&) {
    ++counts.refused;
  }
}

/// Every proper prefix of a file.
template <typename Parser>
mutation_counts truncate_everywhere(std::span<const std::uint8_t> file, const Parser& parse) {
  mutation_counts counts;
  for (std::size_t length = 0; length < file.size(); ++length) {
    count_one({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)}, parse, counts);
  }
  return counts;
}

/// Every value in place of every one of the first `header` bytes.
template <typename Parser>
mutation_counts change_every_byte(std::span<const std::uint8_t> file, std::size_t header,
                                  const Parser& parse) {
  mutation_counts counts;
  std::vector<std::uint8_t> changed(file.begin(), file.end());
  for (std::size_t i = 0; i < header; ++i) {
    for (int change = 1; change < 256; ++change) {
      changed[i] = static_cast<std::uint8_t>(file[i] ^ change);
      count_one(changed, parse, counts);
    }
    changed[i] = file[i];
  }
  return counts;
}

}  // namespace ipu_dsl::tests
