// SPDX-License-Identifier: MIT
// A metric with options: `metrics<accuracy, metric<precision, threshold<0.7F>>>`.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/attributes.hpp>
#include <ipu_dsl/graph/family.hpp>
#include <ipu_dsl/vocabulary/judge_fault.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

/// A type that stands for a metric. Model: `accuracy`. Not a model: a loss that is none.
template <typename T>
concept metric_kind = requires {
  { T::rule } -> std::convertible_to<const family*>;
  requires T::is_metric;
};

/// A metric whose options are always the same, a struct of its rule's type.
template <typename Kind>
concept metric_of_fixed_options = metric_kind<Kind> && requires { Kind::options; };

/// A metric that takes options of its own: `read` makes its rule of those that are given.
template <typename Kind>
concept metric_with_options =
    metric_kind<Kind> && !metric_of_fixed_options<Kind> && requires(const option_list<0>& none) {
      Kind::accepted;
      Kind::read(none);
    };

/// What a metric without options has.
struct no_metric_options {};

/// The options of a metric, as the struct that its rule is.
template <metric_kind Kind, std::size_t Count>
constexpr auto options_of_metric(const option_list<Count>& given) {
  if constexpr (metric_of_fixed_options<Kind>) {
    return Kind::options;
  } else if constexpr (metric_with_options<Kind>) {
    return Kind::read(given);
  } else {
    return no_metric_options();
  }
}

/// What is wrong with how a metric is told its options.
template <metric_kind Kind>
constexpr problem check_metric_options() {
  using told = decltype(options_of_metric<Kind>(option_list<0>()));
  using rule = typename rule_with_options<Kind::rule>::type;
  constexpr bool none = std::same_as<told, no_metric_options>;
  return check_read_options<Kind, std::conditional_t<none, void, told>>(
      text<191>("write static constexpr ") << type_name<rule>() << " options{}");
}

inline constexpr option_key metric_name_key{"metric_name"};

/// What a metric is called instead of after its kind, so that a model can have two of a kind:
/// `metric<precision, threshold<0.7F>, metric_name<"strict">>`.
template <fixed_string Name>
struct metric_name {
  static constexpr problem none = refuse("a name", "none");
  static constexpr option as_option =
      Name.view().empty() ? option{&metric_name_key, 0, 0, &none} : option{&metric_name_key};
  static constexpr std::string_view given_name = Name.view();
};

/// The options that every metric takes.
inline constexpr const option_key* options_of_all_metrics[] = {&weighs_key, &metric_name_key};

/// A metric with options, its own, read as `loss<...>` reads those of a loss, or those that every
/// metric takes: `metric<accuracy, sample_weights>`. Of what is no metric it is none.
template <typename... Parts>
struct metric {};

template <metric_kind Kind, typename... Options>
struct metric<Kind, Options...> {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;

  static constexpr problem find_fault() {
    list<const option_key*> accepted;
    if constexpr (metric_with_options<Kind>) {
      accepted.append(Kind::accepted);
    }
    accepted.append(options_of_all_metrics);
    const problem found = given.find_fault(accepted);
    return found.found() ? found : check_metric_options<Kind>();
  }

  template <typename Option>
  static constexpr std::string_view name_in() {
    if constexpr (requires { Option::given_name; }) {
      return Option::given_name;
    } else {
      return {};
    }
  }

  /// That of the option that has one.
  static constexpr std::string_view find_name() {
    std::string_view found;
    ((found = name_in<Options>().empty() ? found : name_in<Options>()), ...);
    return found;
  }

  /// What is wrong with the options, if anything.
  static constexpr problem fault = find_fault();

  static constexpr bool is_metric = !fault.found();
  static constexpr const family* rule = Kind::rule;
  static constexpr auto options = options_of_metric<Kind>(given);
  static constexpr std::string_view name = find_name();
  static constexpr weighed weighs = static_cast<weighed>(given.integer(weighs_key, 0));
};

}  // namespace ipu_dsl
