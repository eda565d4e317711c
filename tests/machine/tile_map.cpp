// SPDX-License-Identifier: MIT
// Tests of machine/tile_map.hpp: every output element has one tile, and the grid is the best one.
#include <cstdio>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/machine/tile_map.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr std::int64_t tile_counts[] = {1, 4, 16, 64, 1216, 1472};
constexpr std::int64_t extents[] = {1, 2, 3, 5, 7, 10, 16, 31, 32, 33, 64, 100, 129, 256, 784};

// The first layer of the tutorial's model: 32 samples, 256 units.
static_assert(tile_map(32, 256, 1472).busiest().elements() == 6);
static_assert(tile_map(32, 256, 1).classes().count == 1);
static_assert(tile_map(10, 1, 4).classes().shapes[0].rows == 3);
static_assert(tile_map(10, 1, 4).classes().shapes[0].count == 2);
static_assert(tile_map(10, 1, 4).classes().shapes[1].rows == 2);
static_assert(tile_map(10, 1, 4).block_of(3) == tile_block{8, 10, 0, 1});
static_assert(tile_map(10, 10, 4).busiest() == tile_block{0, 5, 0, 5}, "square: it reads least");
static_assert(tile_map(32, 8192, 1472).busiest() == tile_block{0, 11, 0, 17},
              "not 1 x 179, which has fewer elements and reads six times as much");
static_assert(tile_map(2, 3, 1472).tiles() == 6, "no tile has an empty block");
static_assert(tile_map::of_whole_rows(7, 100, 4).block_of(0) == tile_block{0, 2, 0, 100});

/// Counts in how many blocks each element of the output lies, and compares with the classes.
void check_cover(const tile_map& map) {
  std::vector<int> tiles_of(static_cast<std::size_t>(map.rows() * map.columns()), 0);
  const block_classes classes = map.classes();
  std::int64_t found[4] = {};
  for (std::int64_t tile = 0; tile < map.tiles(); ++tile) {
    const tile_block block = map.block_of(tile);
    for (std::int64_t row = block.row_begin; row < block.row_end; ++row) {
      for (std::int64_t column = block.column_begin; column < block.column_end; ++column) {
        ++tiles_of[static_cast<std::size_t>(row * map.columns() + column)];
      }
    }
    for (std::int32_t i = 0; i < classes.count; ++i) {
      const block_class& shape = classes.shapes[i];
      found[i] += shape.rows == block.rows() && shape.columns == block.columns() ? 1 : 0;
    }
  }
  std::size_t once = 0;
  for (const int tiles : tiles_of) {
    once += tiles == 1 ? 1 : 0;
  }
  CHECK(once == tiles_of.size());
  for (std::int32_t i = 0; i < classes.count; ++i) {
    CHECK(found[i] == classes.shapes[i].count);
  }
}

/// Classes add up to the tiles and to the elements; block sizes differ by at most one.
void check_classes(const tile_map& map, std::int64_t tiles) {
  const block_classes classes = map.classes();
  std::int64_t count = 0;
  std::int64_t elements = 0;
  for (std::int32_t i = 0; i < classes.count; ++i) {
    const block_class& shape = classes.shapes[i];
    count += shape.count;
    elements += shape.count * shape.elements();
    CHECK(shape.rows >= 1);
    CHECK(shape.columns >= 1);
    CHECK(map.busiest().rows() - shape.rows <= 1);
    CHECK(map.busiest().columns() - shape.columns <= 1);
    CHECK(shape.elements() <= map.busiest().elements());
  }
  CHECK(classes.count >= 1);
  CHECK(classes.count <= 4);
  CHECK(count == map.tiles());
  CHECK(map.tiles() <= tiles);
  CHECK(elements == map.rows() * map.columns());
  CHECK(map.block_of(0) == map.busiest());
}

constexpr std::int64_t cost_of(const tile_map& map) {
  const tile_block busiest = map.busiest();
  return 16 * (busiest.rows() + busiest.columns()) + busiest.elements();
}

/// The cost of the best grid by looking at all of them.
constexpr std::int64_t least_cost(std::int64_t rows, std::int64_t columns, std::int64_t tiles) {
  std::int64_t least = cost_of(tile_map(rows, columns, tile_grid{1, 1}));
  for (std::int64_t down = 1; down <= tiles && down <= rows; ++down) {
    for (std::int64_t across = 1; down * across <= tiles && across <= columns; ++across) {
      const std::int64_t cost = cost_of(tile_map(rows, columns, tile_grid{down, across}));
      least = cost < least ? cost : least;
    }
  }
  return least;
}

TEST_CASE("every element of an output has exactly one tile") {
  int checked = 0;
  for (const std::int64_t tiles : tile_counts) {
    for (const std::int64_t rows : extents) {
      for (const std::int64_t columns : extents) {
        INFO(rows << " x " << columns << " on " << tiles << " tiles");
        check_cover(tile_map(rows, columns, tiles));
        check_classes(tile_map(rows, columns, tiles), tiles);
        check_cover(tile_map::of_whole_rows(rows, columns, tiles));
        check_classes(tile_map::of_whole_rows(rows, columns, tiles), tiles);
        CHECK(tile_map::of_whole_rows(rows, columns, tiles).tile_columns() == 1);
        ++checked;
      }
    }
  }
  CHECK(checked > 0);
  std::printf("checked %d outputs, in blocks and in whole rows\n", checked);
}

TEST_CASE("no grid has a largest block that costs less") {
  int checked = 0;
  std::uint64_t draw = 0;
  for (const std::int64_t tiles : {1, 2, 3, 4, 6, 12, 16, 30, 64, 97}) {
    for (int repetition = 0; repetition < 40; ++repetition) {
      const auto rows = static_cast<std::int64_t>(1 + random_word(7, 0, ++draw) % 90);
      const auto columns = static_cast<std::int64_t>(1 + random_word(7, 0, ++draw) % 200);
      INFO(rows << " x " << columns << " on " << tiles << " tiles");
      CHECK(cost_of(tile_map(rows, columns, tiles)) == least_cost(rows, columns, tiles));
      ++checked;
    }
  }
  CHECK(checked > 0);
  std::printf("checked %d grids against all others\n", checked);
}

constexpr checks test_tutorial() {
  checks done;
  done.that(tile_map(32, 256, 1472).busiest().elements() == 6);
  done.that(tile_map(784, 256, 1472).tiles() > 1400);
  return done;
}

static_assert(test_tutorial());

TEST_CASE("the maps of the tutorial's model, on the tiles of a device") {
  CHECK(test_tutorial());
}

}  // namespace
