// SPDX-License-Identifier: MIT
// The name of a type that knows nothing of us, for a message that speaks of it.
#pragma once

#include <string_view>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// What stands for a type that was not given; messages call it "nothing".
struct absent_type {};

/// The name of `T` as the compiler spells it, without our own namespace in front:
/// `type_name<int>()` is "int", `type_name<relu>()` is "relu".
template <typename T>
consteval std::string_view type_name() {
  // Both compilers write "... type_name() [with T = int; ...]" or "... type_name() [T = int]".
  const std::string_view signature = __PRETTY_FUNCTION__;
  const std::string_view marker = "T = ";
  const std::size_t begin = signature.find(marker) + marker.size();
  const std::size_t separator = signature.find(';', begin);
  const std::size_t end = separator == std::string_view::npos ? signature.rfind(']') : separator;
  const std::string_view spelled = signature.substr(begin, end - begin);
  const std::string_view ours = "ipu_dsl::";
  const std::string_view name = spelled.starts_with(ours) ? spelled.substr(ours.size()) : spelled;
  return name == "absent_type" ? "nothing" : name;
}

/// The first of some types.
template <typename... Types>
struct first_type {
  using type = absent_type;
};

template <typename First, typename... Rest>
struct first_type<First, Rest...> {
  using type = First;
};

}  // namespace ipu_dsl
