// SPDX-License-Identifier: MIT
// Tests of training/check_tiles.hpp: blocks of every step of recurrent layers, of what stands at
// every step and of masks have the bits of the session.
#include <cstdint>
#include <cstdio>

#include "support/catch2.hpp"
#include "training/tile_blocks.hpp"
#include "training/tile_models.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

TEST_CASE("blocks of every step of recurrent layers have the bits of the session") {
  std::int64_t blocks =
      check_on_all<tiled<recurrent, from_scores, 2, sgd<momentum>, sequential_schedule>>();
  blocks +=
      check_on_all<tiled<recurrent, from_scores, 1, sgd<>, sequential_schedule, replicas<2>>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of recurrent layers\n", static_cast<long long>(blocks));
}

TEST_CASE("blocks of what stands at every step and of masked steps have the bits of the session") {
  const std::int64_t blocks = check_on_all<tiled<at_every_step, from_scores, 2>>() +
                              check_on_all<tiled<passed_over, from_scores, 2>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of steps\n", static_cast<long long>(blocks));
}
