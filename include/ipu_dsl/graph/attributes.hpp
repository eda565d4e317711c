// SPDX-License-Identifier: MIT
// What a layer's options said, carried by a node that does not know its family's types.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// A family's own plain struct of 32-bit members, stored as words. The family packs it with `of`
/// and reads it back with `as`; nobody else looks inside.
struct attributes {
  static constexpr std::size_t capacity = 16;

  std::int32_t words[capacity] = {};

  template <typename Options>
  static constexpr attributes of(const Options& options) {
    const auto packed = std::bit_cast<packed_words<Options>>(options);
    attributes result;
    for (std::size_t i = 0; i < packed_words<Options>::count; ++i) {
      result.words[i] = packed.words[i];
    }
    return result;
  }

  template <typename Options>
  constexpr Options as() const {
    packed_words<Options> packed{};
    for (std::size_t i = 0; i < packed_words<Options>::count; ++i) {
      packed.words[i] = words[i];
    }
    return std::bit_cast<Options>(packed);
  }

 private:
  template <typename Options>
  struct packed_words {
    static_assert(std::is_trivially_copyable_v<Options> && sizeof(Options) % 4 == 0 &&
                      sizeof(Options) / 4 <= capacity,
                  "ipu_dsl: the options of a family must be a plain struct of at most 16 members "
                  "of 32 bits each, without padding");
    static constexpr std::size_t count = sizeof(Options) / 4;
    std::int32_t words[count];
  };
};

}  // namespace ipu_dsl
