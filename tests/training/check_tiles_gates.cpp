// SPDX-License-Identifier: MIT
// Tests of training/check_tiles.hpp: blocks of every step of layers with gates and with states that
// go on have the bits of the session.
#include <cstdint>
#include <cstdio>

#include "support/catch2.hpp"
#include "training/state_models.hpp"
#include "training/tile_blocks.hpp"
#include "training/tile_models.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

TEST_CASE("blocks of every step of layers with gates have the bits of the session") {
  const std::int64_t blocks =
      check_on_all<tiled<gated, from_scores, 2, sgd<momentum>, sequential_schedule>>() +
      check_on_all<tiled<with_states, from_scores, 1, sgd<>, sequential_schedule>>() +
      check_on_all<tiled<lstm_goes_on, from_scores, 1, sgd<>, sequential_schedule>>() +
      check_on_all<tiled<others_go_on, from_scores, 1, sgd<>, sequential_schedule>>();
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of layers with gates\n", static_cast<long long>(blocks));
}
