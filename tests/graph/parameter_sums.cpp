// SPDX-License-Identifier: MIT
// Tests of graph/parameter_sums.hpp.
#include <ipu_dsl/graph/parameter_sums.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr sum_blocks kernel = sum_blocks_of({storage::panels, shape{600, 37}});
constexpr sum_blocks filter = sum_blocks_of({storage::panels, shape{3, 2, 5, 7}});
constexpr sum_blocks bias = sum_blocks_of({storage::panel_bias, shape{37}});
constexpr sum_blocks table = sum_blocks_of({storage::rows, shape{1000, 9}});

static_assert(kernel.rows == 600 && kernel.columns == 37);
static_assert(kernel.rows_of_block == 256 && kernel.blocks == 3 && kernel.parts() == 3 * 37);
static_assert(filter.rows == 30 && filter.columns == 7 && filter.blocks == 1);
static_assert(bias.rows == 37 && bias.columns == 1 && bias.parts() == 1);
static_assert(table.rows == 9000 && table.columns == 1);
static_assert(table.rows_of_block == 4096 && table.blocks == 3);

/// Whether the blocks of a parameter cover its rows, and none is empty.
constexpr bool covers(const sum_blocks& cut) {
  const std::int32_t before = (cut.blocks - 1) * cut.rows_of_block;
  return before < cut.rows && before + cut.rows_of_block >= cut.rows;
}

constexpr std::int32_t count_covered() {
  std::int32_t covered = 0;
  for (std::int32_t rows = 1; rows <= 1024; ++rows) {
    covered += covers(sum_blocks_of({storage::panels, shape{rows, 3}})) ? 1 : 0;
    covered += covers(sum_blocks_of({storage::rows, shape{16 * rows}})) ? 1 : 0;
  }
  return covered;
}

static_assert(count_covered() == 2 * 1024);

TEST_CASE("blocks of a sum cover a parameter") {
  CHECK(count_covered() == 2 * 1024);
}

}  // namespace
