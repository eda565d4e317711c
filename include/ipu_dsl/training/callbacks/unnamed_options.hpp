// SPDX-License-Identifier: MIT
// What is said where a callback is given its options without their names.
#pragma once

#include <concepts>
#include <string_view>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/core/type_name.hpp>

namespace ipu_dsl {

/// Whether a callback is given something else than its options or another one, of which a struct
/// that is derived from it may be made.
template <typename First, typename Callback, typename Options>
concept no_options_of = !std::derived_from<First, Callback> && !std::derived_from<First, Options>;

/// `Written` is how the callback is made, such as `csv_logger({.filename = "training.csv"})`.
template <fixed_string Written, typename... Given>
struct unnamed_options_fault_of {
  static constexpr problem find() {
    using first = typename first_type<Given...>::type;
    constexpr bool is_text = std::convertible_to<const first&, std::string_view>;
    problem found = refuse("its options by their names",
                           is_text ? label("a text") : label() << type_name<first>(),
                           text<191>("write ") << Written.view());
    found.where = Written.view().substr(0, Written.view().find('('));
    return found;
  }

  static constexpr problem value = find();
};

}  // namespace ipu_dsl
