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

/// Whether `numbers` has a number for each channel of `image`, which has positions, and no more:
/// (16) or (1, 1, 16) beside (8, 8, 16).
constexpr bool has_a_number_a_channel(const shape& image, const shape& numbers) {
  const std::int32_t channels = image.rank > 0 ? image[image.rank - 1] : 0;
  return image.rank > 1 && image.elements() > channels && numbers.rank > 0 &&
         numbers[numbers.rank - 1] == channels && numbers.elements() == channels;
}

/// What there is to do where nothing is repeated to fit, said in the words of the layer: "numbers
/// are added in pairs". A number a channel, as of a squeeze and excitation, can be repeated.
constexpr text<191> hint_of_pairs(node_draft& draft, std::int32_t other, std::string_view words) {
  const bool first_is_image = has_a_number_a_channel(draft.input(0), draft.input(other));
  const shape& image = draft.input(first_is_image ? 0 : other);
  const shape& numbers = draft.input(first_is_image ? other : 0);
  text<191> hint;
  if (!has_a_number_a_channel(image, numbers)) {
    return hint << words << ": nothing is repeated to fit";
  }
  const std::int32_t channels = image[image.rank - 1];
  hint << (numbers.rank > 1 ? "Flatten, " : "") << "RepeatVector<" << image.elements() / channels
       << ">";
  if (image.rank > 2) {
    hint << " and Reshape<";
    for (std::int32_t i = 0; i < image.rank; ++i) {
      hint << (i > 0 ? ", " : "") << image[i];
    }
    hint << ">";
  }
  return hint << " for the " << channels << " numbers at every position";
}

}  // namespace ipu_dsl
