// SPDX-License-Identifier: MIT
// The element types of tensors.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// float64 is that of results alone: what losses and metrics count.
enum class dtype : std::int32_t { float32, int32, uint8, float64 };

/// Bytes of one element.
constexpr std::int32_t bytes_of(dtype type) {
  if (type == dtype::float64) {
    return 8;
  }
  return type == dtype::uint8 ? 1 : 4;
}

constexpr std::string_view name_of(dtype type) {
  switch (type) {
    case dtype::float32:
      return "float32";
    case dtype::int32:
      return "int32";
    case dtype::uint8:
      return "uint8";
    case dtype::float64:
      return "float64";
  }
  return "unknown";
}

}  // namespace ipu_dsl
