// SPDX-License-Identifier: MIT
// Counts what a program allocates, on all threads: replaces the allocation functions of the C
// library with ones that count and forward. For one source of a program; IPU_DSL_COUNTS_ALLOCATIONS
// is 0 where that can not be done.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "support/sanitized.hpp"

#if defined(__GLIBC__) && !IPU_DSL_SANITIZED
#define IPU_DSL_COUNTS_ALLOCATIONS 1
#else
#define IPU_DSL_COUNTS_ALLOCATIONS 0
#endif

namespace ipu_dsl::tests {

/// Calls of the allocation functions so far.
inline std::atomic<std::int64_t> allocations{0};

}  // namespace ipu_dsl::tests

#if IPU_DSL_COUNTS_ALLOCATIONS
// glibc's own names of its functions; those of the C standard may be replaced by a program.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);

void* malloc(std::size_t bytes) noexcept {
  ipu_dsl::tests::allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  ipu_dsl::tests::allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) noexcept {
  ipu_dsl::tests::allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  ipu_dsl::tests::allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  ipu_dsl::tests::allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  ipu_dsl::tests::allocations.fetch_add(1, std::memory_order_relaxed);
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}

void free(void* memory) noexcept {
  __libc_free(memory);
}
}
#endif
