// SPDX-License-Identifier: MIT
// What a program of a drawn model says of it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/core/hash.hpp>

namespace ipu_dsl::tests {

/// How many things were found wrong, each printed.
struct findings {
  int compared = 0;
  int wrong = 0;

  void expect(bool right, const char* what) {
    ++compared;
    if (!right) {
      ++wrong;
      std::printf("wrong: %s\n", what);
    }
  }
};

/// A word for numbers, to be compared with that of another compiler or vector unit.
inline unsigned long long bits_of(const std::vector<float>& numbers) {
  fnv_1a found;
  for (const float number : numbers) {
    found.take(std::bit_cast<std::uint32_t>(number));
  }
  return found.value;
}

}  // namespace ipu_dsl::tests
