// SPDX-License-Identifier: MIT
// Every family of layers and losses tile by tile: operators/tile_*.hpp, with runtime/tile_executor.
#include <cstdio>

#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "runtime/tile_checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::check_tiles;
using tests::drawn_samples;

constexpr int tile_counts[] = {1, 4, 16, 64, 1472};

template <typename Model, typename Loss, int Accumulation>
struct trained : compile<Model, micro_batch<5>, gradient_accumulation<Accumulation>, Loss,
                         optimizer<sgd<momentum>>> {};

using from_scores = loss<sparse_categorical_crossentropy>;

/// Fan-out and sums of gradients, joins of vectors and of rows, masks, activations with a node of
/// their own and without, layers without a bias, a softmax before a loss on logits.
struct branching
    : model<
          input<6, 6>,
          pipeline<stage<Flatten, Dense<24, gelu>, residual<Dense<24, relu>, Dropout<0.25F>>>,
                   stage<concat<Dense<7>, sequential<Dense<12, hyperbolic_tangent, use_bias<false>>,
                                                     Dense<5, leaky_relu>>>,
                         swish, Dense<9, elu>>,
                   stage<Dense<13, softplus>, softmax, Dense<4, sigmoid>>>> {};

struct images
    : model<input<3, 4>,
            sequential<concat<sequential<relu>, sequential<swish>>, Flatten, Dense<6, softmax>>> {};

TEST_CASE("layers of all families have the same bits on any number of tiles") {
  const std::int64_t blocks = check_tiles<trained<branching, from_scores, 2>>(
      drawn_samples<shape{6, 6}, 4>(30, 5), 2, tile_counts);
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of layers\n", static_cast<long long>(blocks));
}

TEST_CASE("losses on probabilities have the same bits on any number of tiles") {
  const auto data = drawn_samples<shape{3, 4}, 6>(20, 6);
  using on_probabilities = loss<sparse_categorical_crossentropy, from_probabilities>;
  using on_clipped = loss<sparse_categorical_crossentropy, from_clipped_probabilities>;
  std::int64_t blocks = check_tiles<trained<images, on_probabilities, 1>>(data, 3, tile_counts);
  blocks += check_tiles<trained<images, on_clipped, 1>>(data, 3, tile_counts);
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of losses\n", static_cast<long long>(blocks));
}

}  // namespace
