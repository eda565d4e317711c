// SPDX-License-Identifier: MIT
// Tests of core/deal.hpp.
#include <cstdio>

#include <ipu_dsl/core/deal.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;

static_assert(range_of(10, {}) == index_range{0, 10});
static_assert(range_of(10, {0, 3}) == index_range{0, 4});
static_assert(range_of(10, {1, 3}) == index_range{4, 7});
static_assert(range_of(10, {2, 3}) == index_range{7, 10});
static_assert(range_of(2, {2, 3}) == index_range{2, 2});
static_assert(balanced_deal{10, 3}.largest() == 4 && balanced_deal{10, 3}.largest_count() == 1);

TEST_CASE("parts follow each other and differ by at most one, the larger ones first") {
  int checked = 0;
  tests::checks done;
  for (std::int32_t extent = 0; extent <= 40; ++extent) {
    for (std::int32_t parts = 1; parts <= 12; ++parts) {
      std::int32_t next = 0;
      std::int32_t before = extent;
      for (std::int32_t part = 0; part < parts; ++part) {
        const index_range held = range_of(extent, {part, parts});
        const std::int32_t size = held.end - held.begin;
        done.that(held.begin == next);
        done.that(size <= before);
        done.that(size >= extent / parts);
        done.that(size <= (extent + parts - 1) / parts);
        next = held.end;
        before = size;
        ++checked;
      }
      done.that(next == extent);
    }
  }
  CHECK(done);
  CHECK(checked == 41 * 78);
  std::printf("checked %d parts\n", checked);
}
