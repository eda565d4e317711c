// SPDX-License-Identifier: MIT
// A training whose blocks are compared with the session's on machines of few and of many tiles.
#pragma once

#include <cstdint>

#include <ipu_dsl/training/check_tiles.hpp>

#include "support/catch2.hpp"

namespace ipu_dsl::tests {

constexpr std::int32_t tile_counts[] = {1, 4, 16, 64, 1472};

constexpr machine_target with_tiles(std::int32_t tiles) {
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

}  // namespace ipu_dsl::tests
