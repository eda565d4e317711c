// SPDX-License-Identifier: MIT
// What is said of inputs whose numbers are taken in pairs and whose shapes do not agree.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

/// "(64) and (32) as inputs 0 and 1", for the first input and another.
constexpr label both_shapes(node_draft& draft, std::int32_t other) {
  label words = describe(draft.input(0));
  words << " and " << describe(draft.input(other)) << " as inputs 0 and " << other;
  return words;
}

/// Whether `small` has a number for each channel of `large`, which has positions, and no more:
/// (16) or (1, 1, 16) beside (8, 8, 16).
constexpr bool has_a_number_a_channel(const shape& large, const shape& small) {
  const std::int32_t channels = large.rank > 0 ? large[large.rank - 1] : 0;
  return large.rank > 1 && large.elements() > channels && small.rank > 0 &&
         small[small.rank - 1] == channels && small.elements() == channels;
}

/// What there is to do where nothing is repeated to fit, said in the words of the layer: "numbers
/// are added in pairs". A number a channel, as of a squeeze and excitation, can be repeated.
constexpr text<191> hint_of_pairs(node_draft& draft, std::int32_t other, std::string_view words) {
  const bool first_is_large = has_a_number_a_channel(draft.input(0), draft.input(other));
  const shape& large = draft.input(first_is_large ? 0 : other);
  const shape& small = draft.input(first_is_large ? other : 0);
  text<191> hint;
  if (!has_a_number_a_channel(large, small)) {
    return hint << words << ": nothing is repeated to fit";
  }
  const std::int32_t channels = large[large.rank - 1];
  hint << (small.rank > 1 ? "Flatten, " : "") << "RepeatVector<" << large.elements() / channels
       << ">";
  if (large.rank > 2) {
    hint << " and Reshape<";
    for (std::int32_t i = 0; i < large.rank; ++i) {
      hint << (i > 0 ? ", " : "") << large[i];
    }
    hint << ">";
  }
  return hint << " for the " << channels << " numbers at every position";
}

}  // namespace ipu_dsl
