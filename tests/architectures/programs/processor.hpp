// SPDX-License-Identifier: MIT
// Whether a program for one processor can run on this one.
#pragma once

namespace ipu_dsl::tests {

/// Of the features that the including translation unit was compiled for.
inline bool processor_has_what_this_needs() {
#ifdef __x86_64__
  bool has = true;
#ifdef __AVX512F__
  has = has && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
#ifdef __AVX2__
  has = has && __builtin_cpu_supports("avx2");
#endif
#ifdef __FMA__
  has = has && __builtin_cpu_supports("fma");
#endif
  return has;
#else
  return true;
#endif
}

}  // namespace ipu_dsl::tests
