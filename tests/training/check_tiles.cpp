// SPDX-License-Identifier: MIT
// Tests of training/check_tiles.hpp: blocks of layers of vectors, of losses and metrics, of
// optimizers, replicas and single samples have the bits of the session on any number of tiles.
#include <cstdint>
#include <cstdio>

#include "support/catch2.hpp"
#include "training/tile_blocks.hpp"
#include "training/tile_models.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct mlp : model<input<28, 28>, sequential<Flatten, Dense<256, relu>, Dense<128, relu>,
                                             Dense<64, relu>, Dense<32, relu>, Dense<10>>> {};

struct training : compile<mlp, micro_batch<32>, on<ipu2>, loss<sparse_categorical_crossentropy>,
                          optimizer<sgd<momentum>>> {};

struct single_samples : compile<odd_extents, micro_batch<1>, gradient_accumulation<3>, grouped,
                                loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

}  // namespace

TEST_CASE("blocks of all layers have the bits of the session") {
  const std::int64_t blocks = check_on_all<tiled<branching, from_scores, 2>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of layers\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of losses on probabilities have the bits of the session") {
  std::int64_t blocks = check_on_all<tiled<images, on_probabilities, 1>>();
  blocks += check_on_all<tiled<images, on_clipped, 1>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of losses\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of losses and metrics of every kind have the bits of the session") {
  std::int64_t blocks = check_on_all<tiled_numbers>();
  blocks += check_on_all<tiled_rows>();
  blocks += check_on_all<tiled_labels>();
  blocks += check_on_all<tiled_hinge>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of losses and metrics\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of every optimizer have the bits of the session") {
  std::int64_t blocks = check_on_all<tiled<odd_extents, from_scores, 3>>();
  blocks += check_on_all<tiled<odd_extents, from_scores, 3, sgd<>>>();
  blocks += check_on_all<tiled<odd_extents, from_scores, 3, sgd<momentum, nesterov>>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of three optimizers\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of single samples have the bits of the session") {
  const std::int64_t blocks = check_on_all<single_samples>(3);
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of single samples\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of replicas, whose updates are not fused, have the bits of the session") {
  std::int64_t blocks =
      check_on_all<tiled<odd_extents, from_scores, 1, sgd<momentum>, replicas<2>>>();
  blocks += check_on_all<tiled<odd_extents, from_scores, 2, sgd<>, replicas<3>>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of replicas\n", static_cast<long long>(blocks));
}

TEST_CASE("the tutorial's model on the tiles of a whole device") {
  const tile_check found = check_tiles<training>(ipu2, {.most_blocks = 2000});
  CHECK(found.fault == "");
  CHECK(found.passed());
  CHECK(found.count.blocks > ipu2.tiles);
  std::printf("checked %lld blocks of the tutorial's model\n",
              static_cast<long long>(found.count.blocks));
}

TEST_CASE("a target without tiles is refused") {
  CHECK_THROWS_AS(check_tiles<single_samples>(with_tiles(0)), error);
  CHECK_THROWS_AS(check_tiles<single_samples>(ipu2, {.most_blocks = 0}), error);
}
