// SPDX-License-Identifier: MIT
// The element types of tensors.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

enum class dtype : std::uint8_t { float32, int32, uint8 };

/// Bytes of one element.
constexpr std::int32_t bytes_of(dtype type) {
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
  }
  return "unknown";
}

}  // namespace ipu_dsl
