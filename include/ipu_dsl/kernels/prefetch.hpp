// SPDX-License-Identifier: MIT
// Asking for memory before it is needed.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/kernels/inlining.hpp>
#include <ipu_dsl/layout/architecture.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// Floats of a cache line, as far as this is about speed alone.
inline constexpr std::ptrdiff_t line_floats = 16;

/// How far ahead a loop over a whole parameter asks for what other cores have read. The update of
/// replicas on two cores: 1.95 times one core's speed with it, 1.88 times without.
inline constexpr std::ptrdiff_t shared_floats_ahead = 256;

/// The float `ahead` behind `first`, which need not exist.
IPU_DSL_ALWAYS_INLINE std::uintptr_t address_ahead(const float* first,
                                                   std::ptrdiff_t ahead) noexcept {
  return reinterpret_cast<std::uintptr_t>(first) +
         static_cast<std::uintptr_t>(ahead) * sizeof(float);
}

/// Asks for the cache line of the float `ahead` behind `first`, to be read soon. It need not exist.
IPU_DSL_ALWAYS_INLINE void prefetch_for_reading(const float* first, std::ptrdiff_t ahead) noexcept {
  __builtin_prefetch(reinterpret_cast<const void*>(address_ahead(first, ahead)));
}

/// The same of what is not read soon: it need not drive anything out of the first-level cache.
IPU_DSL_ALWAYS_INLINE void prefetch_for_later(const float* first, std::ptrdiff_t ahead) noexcept {
  __builtin_prefetch(reinterpret_cast<const void*>(address_ahead(first, ahead)), 0, 2);
}

/// Asks for the cache line at an address, to be written soon: it comes near, and to this core
/// alone. Nothing need be there, so the address is a number.
///
/// x86 has the instruction since long, but compilers use it only if they are told of an extension
/// that x86-64-v3 does not name; processors without it take it for nothing. A line that another
/// core has read must be taken from it before it can be written: the operators of a device over two
/// workers, weight gradient with update of 256 x 128: 14 us, with this 11 us.
IPU_DSL_ALWAYS_INLINE void prefetch_line_for_writing(std::uintptr_t address) noexcept {
  const auto* const line = reinterpret_cast<const char*>(address);
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*line));
#else
  __builtin_prefetch(line, 1);
#endif
}

/// The same of the lines of `Count` floats behind `first`, `ahead` floats further.
template <std::ptrdiff_t Count>
IPU_DSL_ALWAYS_INLINE void prefetch_for_writing(const float* first, std::ptrdiff_t ahead) noexcept {
  const std::uintptr_t begin = address_ahead(first, ahead);
#pragma GCC unroll 16
  for (std::ptrdiff_t element = 0; element < Count; element += line_floats) {
    prefetch_line_for_writing(begin + static_cast<std::uintptr_t>(element) * sizeof(float));
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
