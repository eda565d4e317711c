// SPDX-License-Identifier: MIT
// A plain struct of a family's own, carried by those who do not know its type.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// What fills the words behind a packed struct.
template <std::size_t Count>
struct unused_words {
  std::int32_t words[Count] = {};
};

template <>
struct unused_words<0> {};

/// A plain struct as words of 32 bits. The family packs it with `of` and reads it back with `as`;
/// nobody else looks inside. With the compiler's own words where <type_traits> and <bit> have the
/// same: they would be instantiated for every key and for every layer's options.
struct packed_words {
  static constexpr std::size_t capacity = 24;

  std::int32_t words[capacity] = {};

  /// How many words a struct takes.
  template <typename Plain>
  static constexpr std::size_t count_of = __is_empty(Plain) ? 0 : sizeof(Plain) / 4;

  template <typename Plain>
  static constexpr packed_words of(const Plain& plain) {
    if constexpr (count_of<Plain> == 0) {
      return {};
    } else {
      return __builtin_bit_cast(packed_words, filled_up<Plain>{plain, {}});
    }
  }

  template <typename Plain>
  constexpr Plain as() const {
    if constexpr (count_of<Plain> == 0) {
      return {};
    } else {
      return __builtin_bit_cast(filled_up<Plain>, *this).plain;
    }
  }

  friend constexpr bool operator==(const packed_words&, const packed_words&) = default;

 private:
  /// The struct, and zeros up to the capacity: the whole is packed in one step of evaluation.
  template <typename Plain>
  struct filled_up {
    static_assert(__is_trivially_copyable(Plain) && sizeof(Plain) % 4 == 0 &&
                      count_of<Plain> <= capacity,
                  "ipu_dsl: the options of a family, and what makes a kernel of a call, must be a "
                  "plain struct of at most 24 members of 32 bits each, without padding");
    Plain plain;
    [[no_unique_address]] unused_words<capacity - count_of<Plain>> unused;
  };
};

}  // namespace ipu_dsl
