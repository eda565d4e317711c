// SPDX-License-Identifier: MIT
// Opt-in, needs Boost.Hana: one of several types, compiled all of them, chosen when a program runs.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/hana/concept/product.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>

namespace ipu_dsl {

namespace chosen_variants {

/// A `hana::pair` of a name and a type.
template <typename Variant>
concept named = boost::hana::Product<Variant>::value && requires(const Variant& variant) {
  { boost::hana::first(variant).c_str() } -> std::convertible_to<std::string_view>;
};

/// The type itself, of a pair the second.
template <typename Variant>
constexpr auto type_in(const Variant& variant) {
  if constexpr (named<Variant>) {
    return boost::hana::second(variant);
  } else {
    return variant;
  }
}

template <typename Variant>
using type_of = decltype(type_in(std::declval<const Variant&>()));

/// The name of a variant, which is its type's; none of one without.
template <typename Variant>
constexpr std::string_view name_of() {
  if constexpr (named<Variant>) {
    return std::remove_cvref_t<decltype(boost::hana::first(
        std::declval<const Variant&>()))>::c_str();
  } else {
    return {};
  }
}

template <typename Visitor, typename Variant>
using result_of = std::invoke_result_t<Visitor&, type_of<Variant>>;

/// What is wrong with variants and with what is called with one of them.
template <typename Visitor, typename... Variants>
struct fault_of {
  static constexpr problem find() {
    problem found;
    if constexpr (sizeof...(Variants) == 0) {
      found = refuse("at least one variant", "none");
    } else if constexpr (!(std::invocable<Visitor&, type_of<Variants>> && ...)) {
      found = refuse("a function that takes each of the variants", "another",
                     "write [](auto chosen) { using training = typename decltype(chosen)::type; }");
    } else if constexpr (!same_result<Variants...>()) {
      found = refuse("one type of result for all variants", "several",
                     "write it behind the arguments: [](auto chosen) -> double");
    }
    found.where = "with_variant";
    return found;
  }

  template <typename First, typename... Rest>
  static constexpr bool same_result() {
    return (std::same_as<result_of<Visitor, First>, result_of<Visitor, Rest>> && ...);
  }

  static constexpr problem value = find();
};

/// Whether no name stands for two variants.
template <std::size_t Count>
constexpr bool all_differ(const std::array<std::string_view, Count>& names) {
  for (std::size_t i = 0; i < Count; ++i) {
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (names[earlier] == names[i]) {
        return false;
      }
    }
  }
  return true;
}

/// What is wrong with variants that are chosen by name.
template <typename... Variants>
struct fault_of_names {
  static constexpr problem find() {
    problem found;
    if (!(named<Variants> && ...)) {
      found = refuse("variants with names", "one without",
                     "write hana::make_pair(\"grouped\"_s, hana::type_c<training<grouped>>)");
    } else if (!all_differ<sizeof...(Variants)>({name_of<Variants>()...})) {
      found =
          refuse("variants whose names differ", "two of one name", "name one of them otherwise");
    }
    found.where = "with_variant";
    return found;
  }

  static constexpr problem value = find();
};

/// The same for what Hana unpacks. What is wrong is told outside of that, in fewer lines.
template <typename Visitor>
struct fault_among {
  template <typename... Variants>
  constexpr auto operator()(const Variants&...) const {
    return std::type_identity<fault_of<Visitor, Variants...>>();
  }
};

struct fault_among_names {
  template <typename... Variants>
  constexpr auto operator()(const Variants&...) const {
    return std::type_identity<fault_of_names<Variants...>>();
  }
};

/// What a refused call returns, so that what is made of it is no second error.
struct refused_result {
  template <typename Result>
  operator Result() const;
};

template <typename Visitor, typename Variant>
constexpr auto call(Visitor& visitor) -> result_of<Visitor, Variant> {
  return visitor(type_of<Variant>());
}

/// Calls the function for the variant with this number.
template <typename Visitor, typename First, typename... Rest>
constexpr auto call_at(std::size_t number, Visitor& visitor) -> result_of<Visitor, First> {
  using function = result_of<Visitor, First> (*)(Visitor&);
  constexpr function functions[] = {call<Visitor, First>, call<Visitor, Rest>...};
  return functions[number](visitor);
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_number(sentence_part number,
                                                                 std::size_t count) {
  raise_error({"There is no variant ", number, "; there are ", count, " of them, counted from 0."});
}

template <std::size_t Count>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_name(
    std::string_view name, const std::array<std::string_view, Count>& names) {
  std::string known;
  for (const std::string_view one : names) {
    known += sentence_of({known.empty() ? "" : ", ", one});
  }
  raise_error({"There is no variant \"", name, "\"; there are ", known, "."});
}

}  // namespace chosen_variants

/// The names of variants, in their order: for usage texts and checks of command lines.
template <typename Variants>
constexpr auto variant_names(const Variants& variants) {
  using unpacked = decltype(boost::hana::unpack(variants, chosen_variants::fault_among_names()));
  static_assert(diagnose<typename unpacked::type>());
  return boost::hana::unpack(variants, [](const auto&... each) {
    return std::array<std::string_view, sizeof...(each)>{
        chosen_variants::name_of<std::remove_cvref_t<decltype(each)>>()...};
  });
}

/// Calls a function with one of several types, as a `hana::type`, and returns what it returns,
/// which is of one type for all. Every variant is compiled. Throws `error` if there are not that
/// many; nothing is called then.
///
///   constexpr auto trainings = hana::tuple_t<training<grouped>, training<interleaved>>;
///   with_variant(trainings, 1, [&](auto chosen) {
///     session<typename decltype(chosen)::type> run;
///   });
template <typename Variants, std::integral Number, typename Visitor>
constexpr decltype(auto) with_variant(const Variants& variants, Number number, Visitor&& visitor) {
  using function = std::remove_reference_t<Visitor>;
  using unpacked =
      decltype(boost::hana::unpack(variants, chosen_variants::fault_among<function>()));
  using found = typename unpacked::type;
  static_assert(diagnose<found>());
  if constexpr (!found::value.found()) {
    return boost::hana::unpack(variants, [&](const auto&... each) {
      const auto index = static_cast<std::size_t>(number);
      if (!std::in_range<std::size_t>(number) || index >= sizeof...(each)) {
        chosen_variants::refuse_number(number, sizeof...(each));
      }
      return chosen_variants::call_at<function, std::remove_cvref_t<decltype(each)>...>(index,
                                                                                        visitor);
    });
  } else {
    return chosen_variants::refused_result();
  }
}

/// The same by name, for variants that have some: a sequence of pairs, or a `hana::map`. Throws
/// `error` that lists them if it is none of those.
///
///   constexpr auto trainings =
///       hana::make_tuple(hana::make_pair("grouped"_s, hana::type_c<training<grouped>>), ...);
///   with_variant(trainings, "grouped", [&](auto chosen) { ... });
template <typename Variants, typename Visitor>
constexpr decltype(auto) with_variant(const Variants& variants, std::string_view name,
                                      Visitor&& visitor) {
  const auto names = variant_names(variants);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return with_variant(variants, i, visitor);
    }
  }
  chosen_variants::refuse_name(name, names);
}

}  // namespace ipu_dsl
