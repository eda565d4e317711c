// SPDX-License-Identifier: MIT
// Addresses that are compared while the compiler evaluates.
#pragma once

#include <type_traits>

namespace ipu_dsl {

/// Whether two addresses are the same. With -fsanitize=undefined g++ 12 does not know of two inline
/// variables that they lie apart, or of one that it lies anywhere at all, and refuses to say so in
/// a constant expression. Of equal addresses it knows: what it does not know is not equal.
constexpr bool same_address(const void* left, const void* right) {
#if defined(__GNUC__) && !defined(__clang__)
  if (std::is_constant_evaluated() && !__builtin_constant_p(left == right)) {
    return false;
  }
#endif
  return left == right;
}

/// The same of two functions of one kind.
template <typename Function>
  requires std::is_function_v<Function>
constexpr bool same_address(Function* left, Function* right) {
#if defined(__GNUC__) && !defined(__clang__)
  if (std::is_constant_evaluated() && !__builtin_constant_p(left == right)) {
    return false;
  }
#endif
  return left == right;
}

/// Whether an address is that of nothing.
constexpr bool is_null(const void* address) {
  return same_address(address, nullptr);
}

/// The same of a function.
template <typename Function>
  requires std::is_function_v<Function>
constexpr bool is_null(Function* address) {
  return same_address<Function>(address, nullptr);
}

}  // namespace ipu_dsl
