// SPDX-License-Identifier: MIT
// Tests of training/check_tiles.hpp: blocks of numbers that are merged, moved and normalised have
// the bits of the session.
#include <cstdint>
#include <cstdio>

#include "support/catch2.hpp"
#include "training/tile_blocks.hpp"
#include "training/tile_models.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

TEST_CASE("blocks of merges and of numbers that are moved have the bits of the session") {
  const std::int64_t blocks = check_on_all<tiled<moved_numbers, from_scores, 2>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of merges and moved numbers\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of positions that are normalised and attend have the bits of the session") {
  const std::int64_t blocks = check_on_all<tiled<normalized_positions, from_scores, 2>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of layers that normalise\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of layers with states have the bits of the session") {
  std::int64_t blocks = check_on_all<tiled<channels, from_scores, 2>>();
  blocks += check_on_all<tiled<channels, from_scores, 2, sgd<>, replicas<2>>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of layers with states\n", static_cast<long long>(blocks));
}
