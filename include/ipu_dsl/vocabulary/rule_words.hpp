// SPDX-License-Identifier: MIT
// The options of a loss or a metric that has a rule: the members of the rule itself, which its code
// is instantiated for.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/graph/packed_words.hpp>

namespace ipu_dsl {

/// Keras keeps probabilities, and what it divides by, off zero by this much (`epsilon()`).
inline constexpr float keras_epsilon = 1e-7F;

/// The members of a rule, which are at most four of 32 bits, as a part of the key of a call.
struct rule_words {
  static constexpr std::size_t capacity = 4;

  std::int32_t words[capacity] = {};
};

/// The rule that was packed as the options of its node.
template <typename Rule>
consteval Rule rule_of(const rule_words& packed) {
  static_assert(packed_words::count_of<Rule> <= rule_words::capacity,
                "ipu_dsl: the rule of a loss or a metric must have at most four members of 32 bits "
                "each");
  packed_words whole;
  for (std::size_t i = 0; i < rule_words::capacity; ++i) {
    whole.words[i] = packed.words[i];
  }
  return whole.as<Rule>();
}

}  // namespace ipu_dsl
