// SPDX-License-Identifier: MIT
// What makes two calls of a family the same code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/packed_words.hpp>

namespace ipu_dsl {

/// What there is to know of a type of keys.
struct key_kind {
  /// Of keys whose code is there for every rule: what joins a family to its own, "pointwise_rule".
  /// They say it as `joined_by`; others say nothing.
  std::string_view joined_by;
};

template <typename Key>
consteval key_kind kind_of_key() {
  if constexpr (requires { Key::joined_by; }) {
    return {Key::joined_by};
  } else {
    return {};
  }
}

/// Its address differs between types.
template <typename Key>
inline constexpr key_kind key_type = kind_of_key<Key>();

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
    return same_address(type_, &key_type<Key>);
  }

  /// Empty if nothing does, see `key_kind`.
  constexpr std::string_view joined_by() const {
    return is_null(type_) ? std::string_view() : type_->joined_by;
  }

  template <typename Key>
  constexpr Key as() const {
    return packed_.template as<Key>();
  }

  /// For messages, and to tell calls apart.
  constexpr std::size_t size() const { return static_cast<std::size_t>(count_); }

  constexpr std::int32_t operator[](std::size_t word) const { return packed_.words[word]; }

  friend constexpr bool operator==(const call_key& left, const call_key& right) {
    return left.packed_ == right.packed_ && left.count_ == right.count_ &&
           same_address(left.type_, right.type_);
  }

 private:
  packed_words packed_;
  std::int32_t count_ = 0;
  const key_kind* type_ = nullptr;
};

}  // namespace ipu_dsl
