// SPDX-License-Identifier: MIT
// Arithmetic that says when a number is too large.
#pragma once

#include <cstdint>
#include <optional>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// The product of two counts of at least 0; no value if 64 bits cannot hold it.
constexpr std::optional<std::int64_t> checked_product(std::optional<std::int64_t> left,
                                                      std::int64_t right) {
  std::int64_t product = 0;
  if (!left || __builtin_mul_overflow(*left, right, &product)) {
    return std::nullopt;
  }
  return product;
}

}  // namespace ipu_dsl
