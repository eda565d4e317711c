// SPDX-License-Identifier: MIT
// Tests of runtime/tile_sram.hpp: every place around a matrix is guarded.
#include <cmath>
#include <cstdio>

#include <ipu_dsl/runtime/tile_sram.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr std::int32_t rows = 3;
constexpr std::int32_t columns = 2;

TEST_CASE("what a tile has not received is not a number") {
  tile_sram sram;
  sram.clear(2 * tile_sram::with_margins(rows, columns));
  const private_matrix first = sram.take(rows, columns);
  const private_matrix second = sram.take(rows, columns);
  int checked = 0;
  for (std::int32_t row = -1; row <= rows; ++row) {
    for (std::int32_t column = -1; column <= columns; ++column) {
      CHECK(tile_sram::is_poison(first(row, column)));
      CHECK(tile_sram::is_poison(second(row, column)));
      CHECK(tile_sram::is_poison(first(row, column) * 2 + 1));
      ++checked;
    }
  }
  CHECK(checked > 0);
  CHECK(sram.bytes() == 2 * 4 * rows * columns);
  std::printf("checked %d places\n", checked);
}

TEST_CASE("a number beside a matrix is found, wherever it is") {
  int checked = 0;
  for (std::int32_t row = -1; row <= rows; ++row) {
    for (std::int32_t column = -1; column <= columns; ++column) {
      tile_sram sram;
      sram.clear(2 * tile_sram::with_margins(rows, columns));
      const private_matrix first = sram.take(rows, columns);
      const private_matrix second = sram.take(rows, columns);
      CHECK(sram.margins_are_whole());
      second(0, 0) = 1;
      CHECK(sram.margins_are_whole());
      const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
      first(row, column) = 1;
      CHECK(sram.margins_are_whole() == inside);
      ++checked;
    }
  }
  CHECK(checked > 0);
  std::printf("checked %d writes\n", checked);
}

}  // namespace
