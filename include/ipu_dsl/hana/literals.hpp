// SPDX-License-Identifier: MIT
// Opt-in, needs Boost.Hana: names written "logits"_s.
#pragma once

#include <cstddef>
#include <utility>

#include <boost/hana/string.hpp>

#include <ipu_dsl/core/text.hpp>

namespace ipu_dsl::literals {

/// A name as a string of Hana's: `using namespace ipu_dsl::literals;` and `"logits"_s`. Hana has
/// the same in `boost::hana::literals`, as an extension of compilers and where
/// BOOST_HANA_CONFIG_ENABLE_STRING_UDL is defined before its headers; either will do, not both.
template <fixed_string Name>
constexpr auto operator""_s() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return boost::hana::string_c<Name.characters[I]...>;
  }(std::make_index_sequence<Name.view().size()>());
}

}  // namespace ipu_dsl::literals
