// SPDX-License-Identifier: MIT
// Memory that contestants compute on: every buffer begins on a cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <vector>

namespace measure {

/// As the memory of a session lies: a vector of 64 bytes that straddles two lines is loaded twice.
template <typename T>
struct line_allocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  line_allocator() = default;

  template <typename Other>
  explicit constexpr line_allocator(line_allocator<Other>) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line));
  }

  void deallocate(T* memory, std::size_t) { ::operator delete(memory, line); }

  friend bool operator==(line_allocator, line_allocator) { return true; }
};

using buffer = std::vector<float, line_allocator<float>>;

/// `elements` zeros.
inline buffer zeros(std::int64_t elements) {
  return buffer(static_cast<std::size_t>(elements), 0.0F);
}

/// Numbers from -limit to limit, the same in every run.
inline buffer random_numbers(std::int64_t elements, float limit, std::uint32_t seed) {
  std::mt19937 words(seed);
  buffer made = zeros(elements);
  for (float& number : made) {
    // 24 bits, as many as a float holds.
    const auto unit = static_cast<float>(words() >> 8U) * 0x1p-24F;
    number = limit * (2 * unit - 1);
  }
  return made;
}

}  // namespace measure
