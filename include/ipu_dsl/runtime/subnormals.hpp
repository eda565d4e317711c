// SPDX-License-Identifier: MIT
// Numbers near zero that processors are slow with.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// While it lives, its thread takes subnormal numbers (below 1.2e-38) for zeros and makes none.
/// Processors compute with them a hundred times as slowly as with others, and a signal that fades
/// away is full of them. The bits of results that depend on such numbers change, no others, so it
/// is left to the program:
///
///   const subnormals_as_zeros here;
///   classify.push(sample);
///
/// What was set before is set again at its end. It costs a few nanoseconds: one around many calls
/// is enough. Without effect where `available` is false.
class subnormals_as_zeros {
 public:
#if defined(__SSE2__) || defined(__aarch64__)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif

  [[nodiscard]] subnormals_as_zeros() noexcept : before_(get()) { set(before_ | as_zeros); }

  ~subnormals_as_zeros() { set(before_); }

  subnormals_as_zeros(const subnormals_as_zeros&) = delete;
  subnormals_as_zeros& operator=(const subnormals_as_zeros&) = delete;

 private:
  // Memory is named, so that no compiler moves a computation from one side to the other.
#if defined(__SSE2__)
  using word = std::uint32_t;
  /// Results (bit 15) and operands (bit 6) of MXCSR.
  static constexpr word as_zeros = 0x8040;

  static word get() noexcept {
    word control = 0;
    asm volatile("stmxcsr %0" : "=m"(control) : : "memory");
    return control;
  }

  static void set(word control) noexcept { asm volatile("ldmxcsr %0" : : "m"(control) : "memory"); }
#elif defined(__aarch64__)
  using word = std::uint64_t;
  /// Both, bit 24 of FPCR.
  static constexpr word as_zeros = word{1} << 24;

  static word get() noexcept {
    word control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control) : : "memory");
    return control;
  }

  static void set(word control) noexcept {
    asm volatile("msr fpcr, %0" : : "r"(control) : "memory");
  }
#else
  using word = std::uint32_t;
  static constexpr word as_zeros = 0;

  static word get() noexcept { return 0; }

  static void set(word) noexcept {}
#endif

  word before_;
};

}  // namespace ipu_dsl
