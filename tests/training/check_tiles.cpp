// SPDX-License-Identifier: MIT
// Tests of training/check_tiles.hpp: blocks of every family have the bits of the session on any
// number of tiles, and what a kernel does beside its declaration is found.
#include <cstdint>
#include <cstdio>
#include <string>

#include "support/catch2.hpp"
#include "training/state_models.hpp"
#include "training/tile_models.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr std::int32_t tile_counts[] = {1, 4, 16, 64, 1472};

machine_target with_tiles(std::int32_t tiles) {
  machine_target made = ipu2;
  made.tiles = tiles;
  return made;
}

/// Blocks that have the bits of the session, on all counts of tiles.
template <typename Training>
std::int64_t check_on_all(int updates = 2) {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : tile_counts) {
    INFO(tiles << " tiles");
    const tile_check found = check_tiles<Training>(
        with_tiles(tiles), {.updates = updates, .most_blocks = 5}, {.learning_rate = 0.05F});
    CHECK(found.fault == "");
    CHECK(found.count.calls > 0);
    CHECK(found.count.blocks >= found.count.calls);
    CHECK(found.count.elements > found.count.blocks);
    blocks += found.count.blocks;
  }
  return blocks;
}

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

TEST_CASE("blocks of convolutions have the bits of the session") {
  std::int64_t blocks =
      check_on_all<tiled<convolutions, from_scores, 2, sgd<momentum>, sequential_schedule>>();
  blocks +=
      check_on_all<tiled<convolutions, from_scores, 1, sgd<>, sequential_schedule, replicas<2>>>();
  blocks += check_on_all<tiled<convolution_kinds, from_scores, 2>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of convolutions\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of windows that are pooled have the bits of the session") {
  const std::int64_t blocks = check_on_all<tiled<pooled_windows, from_scores, 2>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of pooling\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of merges and of numbers that are moved have the bits of the session") {
  const std::int64_t blocks = check_on_all<tiled<moved_numbers, from_scores, 2>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of merges and moved numbers\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of every step of recurrent layers have the bits of the session") {
  std::int64_t blocks =
      check_on_all<tiled<recurrent, from_scores, 2, sgd<momentum>, sequential_schedule>>();
  blocks +=
      check_on_all<tiled<recurrent, from_scores, 1, sgd<>, sequential_schedule, replicas<2>>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of recurrent layers\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of positions that are normalised and attend have the bits of the session") {
  const std::int64_t blocks = check_on_all<tiled<normalized_positions, from_scores, 2>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of layers that normalise\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of every step of layers with gates have the bits of the session") {
  const std::int64_t blocks =
      check_on_all<tiled<gated, from_scores, 2, sgd<momentum>, sequential_schedule>>() +
      check_on_all<tiled<with_states, from_scores, 1, sgd<>, sequential_schedule>>() +
      check_on_all<tiled<lstm_goes_on, from_scores, 1, sgd<>, sequential_schedule>>() +
      check_on_all<tiled<others_go_on, from_scores, 1, sgd<>, sequential_schedule>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of layers with gates\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of what stands at every step and of masked steps have the bits of the session") {
  const std::int64_t blocks = check_on_all<tiled<at_every_step, from_scores, 2>>() +
                              check_on_all<tiled<passed_over, from_scores, 2>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of steps\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of layers with states have the bits of the session") {
  std::int64_t blocks = check_on_all<tiled<channels, from_scores, 2>>();
  blocks += check_on_all<tiled<channels, from_scores, 2, sgd<>, replicas<2>>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of layers with states\n", static_cast<long long>(blocks));
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
