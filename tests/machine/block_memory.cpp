// SPDX-License-Identifier: MIT
// Tests of machine/block_memory.hpp: what blocks take, worked by hand and counted element by
// element.
#include <cstdio>
#include <set>
#include <utility>

#include <ipu_dsl/machine/block_memory.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

// Two rows of 784 inputs, three columns of 784 weights, six results.
constexpr tile_block two_by_three{0, 2, 0, 3};
static_assert(received_bytes(two_by_three, product_operands(784, 4)) == 4 * 784 * 5);
static_assert(block_bytes(two_by_three, product_operands(784, 4), 4) == 4 * (784 * 5 + 6));
// A sum of two tensors.
static_assert(block_bytes(two_by_three, {.element = 8}, 4) == 6 * 12);
// A bias: one number a column.
static_assert(received_bytes(two_by_three, {.column = 4}) == 12);

/// The numbers that a block of a product touches, one by one.
std::int64_t touched(const tile_block& block, std::int64_t reduction) {
  std::set<std::pair<std::int64_t, std::int64_t>> left;
  std::set<std::pair<std::int64_t, std::int64_t>> right;
  for (std::int64_t row = block.row_begin; row < block.row_end; ++row) {
    for (std::int64_t column = block.column_begin; column < block.column_end; ++column) {
      for (std::int64_t k = 0; k < reduction; ++k) {
        left.insert({row, k});
        right.insert({k, column});
      }
    }
  }
  return static_cast<std::int64_t>(left.size() + right.size());
}

TEST_CASE("a block of a product receives what its elements read, once") {
  int checked = 0;
  for (const std::int64_t tiles : {1, 3, 16, 64}) {
    for (const std::int64_t reduction : {1, 5, 19}) {
      const tile_map map(11, 7, tiles);
      for (std::int64_t tile = 0; tile < map.tiles(); ++tile) {
        const tile_block block = map.block_of(tile);
        CHECK(received_bytes(block, product_operands(reduction, 4)) ==
              4 * touched(block, reduction));
        ++checked;
      }
    }
  }
  CHECK(checked > 0);
  std::printf("checked %d blocks of products\n", checked);
}

}  // namespace
