// SPDX-License-Identifier: MIT
// Tests of training/check_tiles.hpp: blocks of convolutions and of windows that are pooled have the
// bits of the session.
#include <cstdint>
#include <cstdio>

#include "support/catch2.hpp"
#include "training/tile_blocks.hpp"
#include "training/tile_models.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

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
