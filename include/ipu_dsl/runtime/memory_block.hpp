// SPDX-License-Identifier: MIT
// Memory that is taken once, or that the caller gives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/plan/buffer_size.hpp>
#include <ipu_dsl/runtime/regions.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What is wrong with the length of memory that the compiler knows.
template <std::size_t Wanted, std::size_t Given>
struct memory_size_fault_of {
  static constexpr problem find() {
    problem found;
    if (Given < Wanted) {
      found = refuse(label() << Wanted << " bytes", label() << Given,
                     "its type has the constants bytes and alignment");
      found.where = "the memory given";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Zeroed bytes that begin at a multiple of `buffer_alignment`.
class memory_block {
 public:
  static constexpr std::size_t alignment = static_cast<std::size_t>(buffer_alignment);

  /// Of its own; never none, which g++ warns of filling.
  explicit memory_block(std::size_t bytes)
      : own_(new region(static_cast<std::int64_t>((std::max)(bytes, alignment)))),
        release_(&release),
        data_(own_->data()) {}

  /// In memory that must outlive it, for `user`. Refused with what `fault` says; nothing is changed
  /// then.
  memory_block(std::span<std::byte> given, std::size_t bytes, std::string_view user)
      : data_(given.data()) {
    if (const sentence found = fault(given, bytes, user); !found.empty()) {
      raise_error(found);
    }
    std::fill_n(data_, bytes, std::byte{0});
  }

  memory_block(memory_block&& other) noexcept
      : own_(std::exchange(other.own_, nullptr)),
        release_(other.release_),
        data_(std::exchange(other.data_, nullptr)) {}

  memory_block& operator=(memory_block&& other) noexcept {
    std::swap(own_, other.own_);
    std::swap(release_, other.release_);
    std::swap(data_, other.data_);
    return *this;
  }

  ~memory_block() {
    if (own_ != nullptr) {
      release_(own_);
    }
  }

  /// Why memory does not do: too small, or begins elsewhere. Empty if it does.
  static sentence fault(std::span<const std::byte> given, std::size_t bytes,
                        std::string_view user) noexcept {
    sentence found;
    const auto beyond = reinterpret_cast<std::uintptr_t>(given.data()) % alignment;
    if (given.size() < bytes) {
      found << "The memory of " << user << " must have " << bytes << " bytes, got " << given.size()
            << ".";
    } else if (beyond != 0) {
      found << "The memory of " << user << " must begin at a multiple of " << alignment
            << " bytes, it begins " << static_cast<std::size_t>(beyond) << " behind one.";
    }
    return found;
  }

  std::byte* data() const { return data_; }

 private:
  static void release(region* own) { delete own; }

  region* own_ = nullptr;
  /// Known where memory is taken alone, so that a program that takes none has no code to free it.
  void (*release_)(region*) = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
