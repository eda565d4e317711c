// SPDX-License-Identifier: MIT
// What makes two calls of a family the same code.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/graph/packed_words.hpp>

namespace ipu_dsl {

/// Differs between types; its value means nothing.
template <typename Key>
inline constexpr char key_type = 0;

/// Of a call whose code is the same wherever it stands.
struct no_key {};

/// The family's own plain struct of what its kernels are instantiated for: which of them it is, and
/// its extents. Everything else about a call is data. It is read again where the call becomes code.
class call_key {
 public:
  constexpr call_key() = default;

  template <typename Key>
  static constexpr call_key of(const Key& key) {
    call_key made;
    made.packed_ = packed_words::of(key);
    made.count_ = static_cast<std::int32_t>(packed_words::count_of<Key>);
    made.type_ = &key_type<Key>;
    return made;
  }

  /// Whether `as<Key>` gives back what was given.
  template <typename Key>
  constexpr bool is() const {
    return type_ == &key_type<Key>;
  }

  template <typename Key>
  constexpr Key as() const {
    return packed_.template as<Key>();
  }

  /// For messages, and to tell calls apart.
  constexpr std::size_t size() const { return static_cast<std::size_t>(count_); }

  constexpr std::int32_t operator[](std::size_t word) const { return packed_.words[word]; }

  friend constexpr bool operator==(const call_key&, const call_key&) = default;

 private:
  packed_words packed_;
  std::int32_t count_ = 0;
  const char* type_ = nullptr;
};

}  // namespace ipu_dsl
