// SPDX-License-Identifier: MIT
// What kernels of layers with weights write, whole and in parts.
#pragma once

#include <cstdint>

#include <ipu_dsl/operators/run_context.hpp>

#include "kernels/reference.hpp"
#include "support/catch2.hpp"

namespace ipu_dsl::test {

/// What `kernel(to, part)` makes of `before`; in parts, the last first, it makes the same.
template <typename Kernel>
buffer made_in_parts(const buffer& before, const Kernel& kernel) {
  buffer whole = before;
  kernel(whole.data(), grain{});
  CHECK(whole.intact());
  for (const int count : {2, 5}) {
    buffer parts = before;
    for (int index = count - 1; index >= 0; --index) {
      kernel(parts.data(), grain{index, count});
    }
    CHECK(same_bits(whole.view(), parts.view()));
    CHECK(parts.intact());
  }
  return whole;
}

/// What a weight gradient finds, kernel and bias one behind the other: sums that it continues, or
/// nothing.
inline buffer sums_before(const buffer& kernel, const buffer& bias, bool continues) {
  buffer sums(kernel.size() + bias.size(), 0.0F);
  for (std::int64_t i = 0; continues && i < sums.size(); ++i) {
    sums[i] = i < kernel.size() ? kernel[i] : bias[i - kernel.size()];
  }
  return sums;
}

}  // namespace ipu_dsl::test
