// SPDX-License-Identifier: MIT
// An activation that is a layer of its own, beside the same as an option of the layer before it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

struct as_options
    : model<input<9, 9, 3>,
            sequential<named<"a", Conv2D<6, 3, relu>>, named<"b", DepthwiseConv2D<3, relu6>>,
                       named<"c", Dense<5, relu>>, Flatten, named<"d", Dense<12, relu>>,
                       named<"e", Dense<7, relu6>>, named<"f", Dense<4>>>> {};

struct as_layers
    : model<input<9, 9, 3>,
            sequential<named<"a", Conv2D<6, 3>>, relu, named<"b", DepthwiseConv2D<3>>, relu6,
                       named<"c", Dense<5>>, relu, Flatten, named<"d", Dense<12>>, relu,
                       named<"e", Dense<7>>, relu6, named<"f", Dense<4>>>> {};

struct steps_as_options
    : model<input<8, 3>, sequential<named<"a", Conv1D<5, 2, causal_padding, relu>>,
                                    named<"b", Conv1D<4, 1, relu6>>>> {};

struct steps_as_layers : model<input<8, 3>, sequential<named<"a", Conv1D<5, 2, causal_padding>>,
                                                       relu, named<"b", Conv1D<4, 1>>, relu6>> {};

/// Numbers in [-4, 4): some are beyond six behind a layer.
std::vector<float> numbers(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    made[i] = 8.0F * uniform_unit(random_word(5, 9, static_cast<std::uint64_t>(i))) - 4.0F;
  }
  return made;
}

/// How many of the predictions of two models with the same weights have the same bits.
template <typename Left, typename Right>
int equal_predictions(int& positive) {
  weights_of<Left> left;
  left.initialize(11);
  weights_of<Right> right;
  right.copy_from(left);
  predictor<Left, micro_batch<5>> first(left);
  predictor<Right, micro_batch<5>> second(right);
  const std::vector<float> x = numbers(5 * first.sample_values);
  std::vector<float> expected(5 * first.result_values);
  std::vector<float> found(expected.size());
  REQUIRE(first.predict(x, expected));
  REQUIRE(second.predict(x, found));
  int equal = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    equal += found[i] == expected[i] ? 1 : 0;
    positive += expected[i] != 0.0F ? 1 : 0;
  }
  return equal;
}

}  // namespace

TEST_CASE("an activation in a layer of its own has the bits of the option") {
  int positive = 0;
  CHECK(equal_predictions<as_options, as_layers>(positive) == 20);
  CHECK(equal_predictions<steps_as_options, steps_as_layers>(positive) == 160);
  CHECK(positive > 20);
  std::printf("applied activations: compared 180 predictions, %d are not zero\n", positive);
}
