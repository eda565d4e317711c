// SPDX-License-Identifier: MIT
// A model as on a board: weights in memory that is never written, activations in an array of known
// size, nothing taken, nothing thrown. What its object file refers to is what a board has to bring.
#include <array>
#include <cstddef>
#include <cstdlib>

#include BOARD_WEIGHTS

#include "inference/programs/board_expected.hpp"
#include "inference/programs/board_model.hpp"

namespace {

using classifier = board::predictor<board::net>;

static_assert(classifier::bytes <= 1024, "the activations do not fit into their memory");
alignas(classifier::alignment) std::array<std::byte, classifier::bytes> memory;

/// Bits are those of the program that wrote the expected result, if it rounds as this one.
bool as_expected(float found, float expected) {
  const float allowed =
      board_result_is_fused == board::layout::native.fused_multiply_add ? 0.0F : 1e-6F;
  const float difference = found - expected;
  return difference <= allowed && -difference <= allowed;
}

}  // namespace

int main() {
  classifier classify(board_weights, memory);
  const auto found = classify.push(board_sample);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!as_expected(found[i], board_result[i])) {
      return 1;
    }
  }
  return 0;
}
