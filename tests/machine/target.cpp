// SPDX-License-Identifier: MIT
// Tests of machine/target.hpp: the constants agree with what is published about the whole machine.
#include <cstdio>

#include <ipu_dsl/machine/target.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr std::int64_t mebibyte = 1024 * 1024;

/// Bytes a second that all tiles together receive.
constexpr double exchange_bandwidth(const machine_target& target) {
  return target.tiles * target.exchange_bytes_per_cycle * target.clock_hertz;
}

constexpr bool about(double value, double published) {
  return value > 0.99 * published && value < 1.01 * published;
}

static_assert(ipu1.bytes() == 304 * mebibyte);
static_assert(ipu2.bytes() / mebibyte == 897);
static_assert(bow.bytes() == ipu2.bytes());
static_assert(ipu1.tiles == 16 * 19 * 4, "16 columns of 19 islands of 4 tiles");
static_assert(ipu1.tiles * ipu1.workers_per_tile == 7296);
static_assert(ipu2.tiles * ipu2.workers_per_tile == 8832);
static_assert(about(exchange_bandwidth(ipu1), 7.78e12));
static_assert(about(exchange_bandwidth(ipu2), 7.83e12));
static_assert(about(exchange_bandwidth(bow), 10.9e12));

constexpr machine_target without_tiles{.name = "own", .tiles = 0, .bytes_per_tile = 1};
constexpr machine_target without_memory{.name = "own", .tiles = 1, .bytes_per_tile = 0};
static_assert(check_target(without_tiles).found() && check_target(without_memory).found());

TEST_CASE("targets of known machines can be used as they stand") {
  int checked = 0;
  for (const machine_target* target : {&ipu1, &ipu2, &bow}) {
    CHECK(!check_target(*target).found());
    CHECK(target->bytes() == std::int64_t{target->tiles} * target->bytes_per_tile);
    ++checked;
  }
  CHECK(checked > 0);
  std::printf("checked %d targets\n", checked);
}

}  // namespace
