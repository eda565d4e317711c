// SPDX-License-Identifier: MIT
// What is wrong with a loss or a metric of one's own: what its rule has as members are its options,
// and they are read as one struct and packed as words, which know no type.
#pragma once

#include <concepts>
#include <type_traits>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/graph/attributes.hpp>
#include <ipu_dsl/vocabulary/class_counting.hpp>
#include <ipu_dsl/vocabulary/counting.hpp>
#include <ipu_dsl/vocabulary/pointwise.hpp>
#include <ipu_dsl/vocabulary/rowwise.hpp>

namespace ipu_dsl {

/// Whether a loss or a metric is joined to a rule of one of the four kinds.
template <const family* Judge>
concept judges_by_rule = judges_pointwise<Judge> || judges_rows<Judge> ||
                         judges_by_counting<Judge> || judges_classes<Judge>;

/// A type with the family of a loss or a metric, as which it does not show itself.
template <typename T>
concept nearly_a_judge = requires {
  { T::rule } -> std::convertible_to<const family*>;
  requires judges_by_rule<T::rule>;
};

/// What such a type lacks.
template <typename T>
constexpr problem judge_lacks(const char* member) {
  return refuse(member, label() << type_name<T>() << " without it",
                "examples/own_loss.cpp says what a loss and a metric of one's own have");
}

/// Options that the compiler can read.
template <attributes Options>
struct constant_of_options {};

/// The rule of a loss or a metric whose members are its options; `void` of one that has none such.
template <const family* Judge>
struct rule_with_options {
  using type = void;
};

template <const family* Judge>
  requires judges_pointwise<Judge>
struct rule_with_options<Judge> : pointwise_rule<Judge> {};

template <const family* Judge>
  requires(judges_rows<Judge> && !judges_pointwise<Judge>)
struct rule_with_options<Judge> : row_rule<Judge> {};

template <const family* Judge>
  requires(judges_by_counting<Judge> && !judges_rows<Judge> && !judges_pointwise<Judge>)
struct rule_with_options<Judge> : counting_rule<Judge> {};

/// Whether a rule has members, which somebody has to say.
template <typename Rule>
inline constexpr bool has_members = !std::is_empty_v<Rule>;

template <>
inline constexpr bool has_members<void> = false;

/// What is wrong with how a loss or a metric is told its options, which come as `Read`: void if
/// nothing reads them. `how` says what to write.
template <typename Judge, typename Read>
constexpr problem check_read_options(const text<191>& how) {
  using rule = typename rule_with_options<Judge::rule>::type;
  if constexpr (has_members<rule> && !std::same_as<Read, rule>) {
    return refuse(label("the members of ")
                      << type_name<rule>() << " among the options of " << type_name<Judge>(),
                  std::same_as<Read, void> ? label("none") : label() << type_name<Read>(), how);
  } else {
    return {};
  }
}

}  // namespace ipu_dsl
