// SPDX-License-Identifier: MIT
// How the tests of mathematical functions measure error and compare vectors with scalars.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <ipu_dsl/kernels/simd.hpp>

#include "reference.hpp"

namespace ipu_dsl::test {

/// What was seen over sampled floats.
struct function_error {
  double worst = 0.0;  ///< in units in the last place of the exact result
  int checked = 0;
  int differing = 0;  ///< places where a vector's element has other bits than the scalar
};

/// Every 4093rd float in [low, high] (a prime, so that mantissas vary), `kernel` written for floats
/// and vectors against `exact` in float64. Results below `smallest` are compared, not measured.
template <typename Kernel, typename Exact>
function_error measure(const char* name, const Kernel& kernel, const Exact& exact, float low,
                       float high, double smallest = 0.0) {
  constexpr std::uint64_t step = 4093;
  function_error seen;
  float block[static_cast<std::size_t>(lanes)] = {};
  float results[static_cast<std::size_t>(lanes)] = {};
  int filled = 0;
  for (std::uint64_t bits = 0; bits < 0x100000000U; bits += step) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (!(x >= low && x <= high)) {
      continue;
    }
    const double want = exact(wide(x));
    if (std::fabs(want) >= smallest) {
      seen.worst = std::fmax(seen.worst, ulps(kernel(x), want));
    }
    block[filled] = x;
    filled = (filled + 1) % lanes;
    ++seen.checked;
    if (filled == 0) {
      using vector = kernels::vector<layout::native>;
      kernels::store(results, kernel(kernels::load<vector>(block)));
      for (int i = 0; i < lanes; ++i) {
        seen.differing += same_bits(results[i], kernel(block[i])) ? 0 : 1;
      }
    }
  }
  std::printf("%s: checked %d floats, worst error %.3f ulp\n", name, seen.checked, seen.worst);
  return seen;
}

/// The largest float and the smallest normal one.
inline constexpr float largest_float = std::numeric_limits<float>::max();
inline constexpr double smallest_normal = 0x1p-126;

}  // namespace ipu_dsl::test
