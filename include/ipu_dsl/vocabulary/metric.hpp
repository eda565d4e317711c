// SPDX-License-Identifier: MIT
// A metric with options: `metrics<accuracy, metric<precision, threshold<0.7F>>>`.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/attributes.hpp>
#include <ipu_dsl/graph/family.hpp>

namespace ipu_dsl {

/// A metric with its own options, read as `loss<...>` reads those of a loss. Of what is no metric,
/// or has no options, it is none.
template <typename... Parts>
struct metric {};

/// A metric that takes options.
template <typename Kind>
concept metric_with_options = requires(const option_list<0>& none) {
  { Kind::rule } -> std::convertible_to<const family*>;
  requires Kind::is_metric;
  Kind::accepted;
  Kind::read(none);
};

template <metric_with_options Kind, typename... Options>
struct metric<Kind, Options...> {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;

  /// What is wrong with the options, if anything.
  static constexpr problem fault = given.find_fault(Kind::accepted);

  static constexpr bool is_metric = !fault.found();
  static constexpr const family* rule = Kind::rule;
  static constexpr attributes options = attributes::of(Kind::read(given));
};

}  // namespace ipu_dsl
