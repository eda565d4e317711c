// SPDX-License-Identifier: MIT
// A layer whose brackets were forgotten: `build.layer<GRU>`. C++ calls it a template, not a type.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/graph/element.hpp>

namespace ipu_dsl {

/// Templates as types, by what stands in their brackets: options alone. Any count of numbers is
/// left to the compiler: it lists every function that may be meant, also where it is a name that is
/// not declared.
template <template <typename...> class Layer>
struct bare_of_types {};

/// A number, and perhaps options.
template <template <auto, typename...> class Layer>
struct bare_of_number {};

/// Two numbers, and perhaps options.
template <template <auto, auto, typename...> class Layer>
struct bare_of_two_numbers {};

/// The name of what stands in the brackets of a spelled name, without the namespace that it is in.
constexpr std::string_view name_in_brackets(std::string_view spelled) {
  const std::size_t begin = spelled.find('<') + 1;
  const std::string_view inner = spelled.substr(begin, spelled.rfind('>') - begin);
  const std::size_t colon = inner.rfind(':');
  return colon == std::string_view::npos ? inner : inner.substr(colon + 1);
}

/// The name of a template that is one of those above.
template <typename Bare>
inline constexpr std::string_view bare_name = name_in_brackets(type_name<Bare>());

/// What is wrong with it as a layer.
template <typename Bare>
inline constexpr problem without_brackets =
    refuse("a layer with its brackets", "its name alone",
           text<191>("write ") << bare_name<Bare> << "<...>, or "
                               << bare_name<Bare> << "<> if it is told nothing");

/// A template in place of a layer, as an element that is refused.
template <typename Bare>
inline constexpr element bare_layer = unfit_layer(bare_name<Bare>, without_brackets<Bare>);

}  // namespace ipu_dsl
