// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/layout/register_tile.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

constexpr layout::architecture sse2{4, 16, false};
constexpr layout::architecture avx2{8, 16, true};
constexpr layout::architecture avx512{16, 32, true};

constexpr checks test_registers() {
  checks done;
  done.that(layout::fits_registers({4, 3}, avx2));
  done.that(layout::fits_registers({6, 2}, avx2));
  done.that(layout::fits_registers({14, 1}, avx2));
  done.that(!layout::fits_registers({7, 2}, avx2));
  done.that(!layout::fits_registers({3, 4}, avx2));
  done.that(layout::max_tile_rows(3, avx2) == 4);
  done.that(layout::max_tile_rows(2, avx2) == 6);
  done.that(layout::max_tile_rows(1, avx2) == 14);
  done.that(layout::max_tile_rows(3, avx512) == 9);
  return done;
}

constexpr checks test_efficiency() {
  checks done;
  done.that(layout::efficiency({4, 3}, avx2) == 1000);
  done.that(layout::efficiency({6, 2}, avx2) == 1000);
  done.that(layout::efficiency({7, 2}, avx2) == 0);
  done.that(layout::efficiency({14, 1}, avx2) == 933);
  done.that(layout::efficiency({1, 1}, avx2) == 111);
  done.that(layout::efficiency({4, 2}, avx2) == 888);
  return done;
}

constexpr checks test_widths() {
  checks done;
  done.that(layout::tile_vectors(32, avx2) == 3);
  done.that(layout::tile_vectors(4, avx2) == 2);
  done.that(layout::tile_vectors(2, avx2) == 2);
  done.that(layout::tile_vectors(1, avx2) == 1);
  return done;
}

constexpr checks test_split() {
  const layout::balanced_split split = layout::split_evenly(32, 6);
  checks done;
  done.that(split.size == 6);
  done.that(split.larger == 2);
  done.that(split.smaller == 4);
  return done;
}

static_assert(test_registers());
static_assert(test_efficiency());
static_assert(test_widths());
static_assert(test_split());

constexpr checks test_most_rows() {
  checks done;
  int checked = 0;
  for (const layout::architecture target : {sse2, avx2, avx512}) {
    for (std::int32_t vectors = 1; vectors <= layout::max_tile_vectors; ++vectors) {
      const std::int32_t rows = layout::max_tile_rows(vectors, target);
      done.that(layout::fits_registers({rows, vectors}, target));
      done.that(!layout::fits_registers({rows + 1, vectors}, target));
      ++checked;
    }
  }
  done.that(checked == 3 * layout::max_tile_vectors);
  return done;
}

static_assert(test_most_rows());

}  // namespace

TEST_CASE("tiles of known registers, efficiency, width and split") {
  CHECK(test_registers());
  CHECK(test_efficiency());
  CHECK(test_widths());
  CHECK(test_split());
}

TEST_CASE("the most rows fit and one more does not") {
  CHECK(test_most_rows());
}

TEST_CASE("a split covers the extent with the fewest parts, none over the limit") {
  int checked = 0;
  for (std::int32_t limit = 1; limit <= 14; ++limit) {
    for (std::int32_t extent = 1; extent <= 100; ++extent) {
      const layout::balanced_split split = layout::split_evenly(extent, limit);
      CHECK(split.larger >= 1);
      CHECK(split.size <= limit);
      CHECK(split.larger * split.size + split.smaller * (split.size - 1) == extent);
      CHECK(split.larger + split.smaller == (extent + limit - 1) / limit);
      ++checked;
    }
  }
  CHECK(checked == 1400);
  std::printf("register_tile: checked %d splits\n", checked);
}
