// SPDX-License-Identifier: MIT
// Memory that is taken once, or that the caller gives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/runtime/regions.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Zeroed bytes that begin at a multiple of `buffer_alignment`.
class memory_block {
 public:
  static constexpr std::size_t alignment = static_cast<std::size_t>(buffer_alignment);

  /// Of its own.
  explicit memory_block(std::size_t bytes) : own_(static_cast<std::int64_t>(bytes)) {
    data_ = own_->data();
  }

  /// In memory that must outlive it, for `user`. Throws `error` if that is too small or begins
  /// elsewhere; nothing is changed then.
  memory_block(std::span<std::byte> given, std::size_t bytes, std::string_view user)
      : data_(given.data()) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(given.data()) % alignment;
    if (given.size() < bytes) {
      throw error("The memory of " + std::string(user) + " must have " + std::to_string(bytes) +
                  " bytes, got " + std::to_string(given.size()) + ".");
    }
    if (beyond != 0) {
      throw error("The memory of " + std::string(user) + " must begin at a multiple of " +
                  std::to_string(alignment) + " bytes, it begins " + std::to_string(beyond) +
                  " behind one.");
    }
    std::fill_n(data_, bytes, std::byte{0});
  }

  std::byte* data() const { return data_; }

 private:
  std::optional<region> own_;
  std::byte* data_ = nullptr;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
