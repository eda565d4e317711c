// SPDX-License-Identifier: MIT
// From which probability on a metric takes an output for a yes.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/option.hpp>

namespace ipu_dsl {

inline constexpr option_key threshold_key{"threshold", "metric<precision, threshold<0.7F>>"};

/// An output above this says yes: `metric<precision, threshold<0.7F>>`. Keras's default is 0.5.
template <auto Value>
struct threshold {
  static constexpr option as_option = real_option(&threshold_key, Value);
};

/// What metrics that take a threshold accept.
inline constexpr const option_key* threshold_keys[] = {&threshold_key};

template <std::size_t Count>
constexpr float read_threshold(const option_list<Count>& given) {
  return given.number(threshold_key, 0.5F);
}

/// Keras refuses what is no probability.
constexpr problem check_threshold(float chosen) {
  if (chosen >= 0.0F && chosen <= 1.0F) {
    return {};
  }
  return refuse("a threshold of at least 0 and at most 1", label() << chosen,
                "threshold<0.5F> is the default");
}

}  // namespace ipu_dsl
