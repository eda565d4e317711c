// SPDX-License-Identifier: MIT
// What is wrong with an optimizer: its rule, its family and its settings say the same thing three
// times, and code reads and writes memory by what one of them says.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/graph/update_rule.hpp>

namespace ipu_dsl {

/// A type that stands for an optimizer: its family, and the settings that a session is given, which
/// make the numbers of an update and say what is wrong with them.
/// Model: `sgd<momentum>`. Not a model: `momentum`.
template <typename T>
concept optimizer_kind = requires {
  { T::rule } -> std::convertible_to<const family*>;
  { T::fault } -> std::convertible_to<const problem&>;
  requires requires(const typename T::settings& chosen) {
    chosen.numbers(std::uint64_t{1});
    { chosen.fault() } -> std::convertible_to<problem>;
  };
};

/// A type that is meant to be an optimizer.
template <typename T>
concept nearly_an_optimizer = requires { typename T::settings; } || requires {
  { T::rule } -> std::convertible_to<const family*>;
  { T::fault } -> std::convertible_to<const problem&>;
};

/// What such a type lacks to be one, or what has another type than it should.
template <typename T>
constexpr const char* lacking_of_optimizer() {
  if constexpr (!requires {
                  { T::rule } -> std::convertible_to<const family*>;
                }) {
    return "static constexpr const family* rule";
  } else if constexpr (!requires {
                         { T::fault } -> std::convertible_to<const problem&>;
                       }) {
    return "static constexpr problem fault";
  } else if constexpr (!requires { typename T::settings; }) {
    return "using settings = the struct that a session is given";
  } else if constexpr (!requires(const typename T::settings& chosen) {
                         chosen.numbers(std::uint64_t{1});
                       }) {
    return "settings with numbers(std::uint64_t update) const, which returns the rule's numbers";
  } else {
    return "settings with constexpr problem fault() const";
  }
}

template <typename T>
inline constexpr problem optimizer_lacks =
    refuse(lacking_of_optimizer<T>(), label() << type_name<T>() << " without it",
           "examples/own_optimizer.cpp says what an optimizer has");

/// A rule that says how many numbers it keeps beside each of a parameter.
template <typename Rule>
concept says_what_it_keeps = requires {
  { Rule::kept } -> std::convertible_to<int>;
};

namespace optimizer_faults {

/// What code knows of a rule.
struct rule_facts {
  std::string_view name;
  int kept = 0;
  whole_sums sums = {};
};

constexpr problem check_names(const family& optimizer, const rule_facts& rule) {
  const std::int32_t count = optimizer.kept.count();
  if (optimizer.kept.names[0] == names_in_one) {
    return refuse(label("names in .kept of the family of ") << optimizer.name,
                  "several in braces of their own", "write .kept = {{\"m\", \"v\"}}");
  }
  if (count != rule.kept) {
    return refuse(label("as many names in .kept of the family of ")
                      << optimizer.name << " as its rule keeps numbers, " << rule.kept,
                  label() << count,
                  "name what lies beside each number of a parameter, in the order of the rule: "
                  ".kept = {{...}}");
  }
  for (std::int32_t i = 0; i < count; ++i) {
    for (std::int32_t earlier = 0; earlier < i; ++earlier) {
      if (optimizer.kept.names[i] == optimizer.kept.names[earlier]) {
        return refuse(label("different names in .kept of the family of ") << optimizer.name,
                      label() << optimizer.kept.names[i] << " twice");
      }
    }
  }
  return {};
}

constexpr problem check_sums(const family& optimizer, const rule_facts& rule) {
  for (std::int32_t stage = 0; stage < whole_sums::most_stages; ++stage) {
    const std::int32_t sums = rule.sums.of_stage[stage];
    if (sums < 0 || sums > whole_sums::most_sums || (sums > 0 && stage >= rule.sums.stages())) {
      return refuse(label("1 or 2 sums in each stage of ") << rule.name,
                    label() << sums << " in stage " << stage);
    }
  }
  if (!(optimizer.sums == rule.sums)) {
    return refuse(label(".sums in the family of ") << optimizer.name << " as its rule has them",
                  "others, or none on one side",
                  text<191>("write .sums = ") << rule.name << "::sums if the rule has sums, and "
                                              << "leave .sums out if it has none");
  }
  if (optimizer.elementwise && rule.sums.stages() > 0) {
    return refuse(label("no .elementwise in the family of ")
                      << optimizer.name << ", which has .sums",
                  ".elementwise = true",
                  "leave it out: a weight gradient cannot end with what needs the whole parameter");
  }
  return {};
}

/// The numbers of a rule are copied as bytes from the host to its code.
template <typename Optimizer, typename Rule>
constexpr problem check_numbers() {
  using numbers = typename Rule::numbers;
  using made = decltype(optimizer_reference::numbers_of<Optimizer>(
      std::declval<const typename Optimizer::settings&>(), std::uint64_t{1}));
  if (!std::same_as<made, numbers>) {
    return refuse(label("numbers(update) of the settings of ")
                      << Optimizer::rule->name << " to return the numbers of its rule",
                  type_name<made>(), text<191>("return ") << type_name<Rule>() << "::numbers");
  }
  if (!std::is_trivially_copyable_v<numbers> || sizeof(numbers) % sizeof(float) != 0 ||
      sizeof(numbers) > most_optimizer_numbers * sizeof(float)) {
    return refuse(label("at most ") << most_optimizer_numbers << " floats and nothing else in "
                                    << type_name<numbers>(),
                  label() << sizeof(numbers) << " bytes");
  }
  return {};
}

/// A `kept_at_first` that cannot be asked would be left out without a word.
template <typename Settings>
constexpr problem check_kept_at_first() {
  constexpr bool asked = requires(const Settings& chosen, std::string_view slot) {
    { chosen.kept_at_first(slot) } -> std::convertible_to<float>;
  };
  if (requires { &Settings::kept_at_first; } && !asked) {
    return refuse("float kept_at_first(std::string_view slot) const in the settings",
                  "one that cannot be called so",
                  "it returns what the numbers kept under that name are before the first update");
  }
  return {};
}

template <typename Rule>
constexpr rule_facts facts_of() {
  return {type_name<Rule>(), Rule::kept, sums_of<Rule>()};
}

template <typename Optimizer, typename Rule>
constexpr problem check_rule() {
  if constexpr (!says_what_it_keeps<Rule>) {
    return refuse(label("static constexpr int kept in ") << type_name<Rule>(), "none",
                  "it says how many numbers are kept beside each of a parameter: 0 if none");
  } else if constexpr (!requires { typename Rule::numbers; }) {
    return refuse(label("a struct numbers in ") << type_name<Rule>(), "none",
                  "it has the floats that the host makes for an update, such as the rate");
  } else {
    for (const problem& found :
         {check_names(*Optimizer::rule, facts_of<Rule>()),
          check_sums(*Optimizer::rule, facts_of<Rule>()), check_numbers<Optimizer, Rule>(),
          check_kept_at_first<typename Optimizer::settings>()}) {
      if (found.found()) {
        return found;
      }
    }
    return {};
  }
}

/// An update that ends a weight gradient, or sums first, is there by the rule alone.
template <typename Optimizer>
constexpr problem find_in_rule() {
  constexpr const family& described = *Optimizer::rule;
  if constexpr (updates_by_rule<Optimizer::rule>) {
    return check_rule<Optimizer, typename update_rule<Optimizer::rule>::type>();
  } else if (described.elementwise || described.sums.stages() > 0) {
    return refuse(label("an update_rule of the family of ") << described.name, "none",
                  "in front of compile<...> write template <> struct "
                  "ipu_dsl::update_rule<&your_family> { using type = your_rule; };");
  } else {
    return {};
  }
}

/// Without calls for an update nothing would ever learn.
template <typename Optimizer>
constexpr problem find() {
  const problem found = find_in_rule<Optimizer>();
  if (!found.found() && same_address(Optimizer::rule->update, family{}.update)) {
    return refuse(label(".update in the family of ") << Optimizer::rule->name, "none",
                  "write .update = update_each_parameter");
  }
  return found;
}

}  // namespace optimizer_faults

/// What is wrong with an optimizer, or nothing.
template <typename Optimizer>
constexpr problem fault_of_optimizer() {
  if constexpr (Optimizer::fault.found()) {
    return Optimizer::fault;
  } else {
    return optimizer_faults::find<Optimizer>();
  }
}

}  // namespace ipu_dsl
