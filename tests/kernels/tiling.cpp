// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/kernels/tiling.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

constexpr layout::architecture avx2{8, 16, true};

constexpr checks test_columns() {
  constexpr kernels::panel_columns wide(256, avx2);
  constexpr kernels::panel_columns narrow(10, avx2);
  checks done;
  done.that(wide.width == 24);
  done.that(wide.vectors == 3);
  done.that(wide.full_panels == 10);
  done.that(wide.rest_vectors == 2);
  done.that(narrow.width == 16);
  done.that(narrow.full_panels == 1);
  done.that(narrow.rest_vectors == 0);
  return done;
}

static_assert(test_columns());

int checked = 0;

/// Tiles follow each other without gap or overlap and none is too large.
template <int Extent, int Vectors>
void check_rows() {
  std::int32_t next = 0;
  checks done;
  const std::int32_t tiles = kernels::row_tiles(Extent, Vectors, layout::native).parts();
  kernels::tile_rows<layout::native, Extent, Vectors>(
      {0, tiles}, [&](auto rows, std::int32_t first) {
        done.that(first == next);
        done.that(layout::fits_registers({rows, Vectors}, layout::native));
        next += rows;
        ++checked;
      });
  CHECK(done);
  CHECK(next == Extent);
}

}  // namespace

TEST_CASE("the columns of a layer in panels") {
  CHECK(test_columns());
}

TEST_CASE("tiles cover all rows in ascending order") {
  checked = 0;
  check_rows<1, 1>();
  check_rows<3, 3>();
  check_rows<7, 2>();
  check_rows<13, 3>();
  check_rows<32, 1>();
  check_rows<33, 2>();
  check_rows<784, 3>();
  CHECK(checked > 0);
  std::printf("tiling: checked %d tiles\n", checked);
}
