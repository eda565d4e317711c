// SPDX-License-Identifier: MIT
// Tests of core/shape.hpp.
#include <cstdint>

#include <ipu_dsl/core/shape.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

static_assert(shape{}.rank == 0 && shape{}.elements() == 1);
static_assert(shape{28, 28}.rank == 2 && shape{28, 28}.elements() == 784 && shape{3, 4}[1] == 4);
static_assert(shape{1 << 20, 1 << 20}.elements() == std::int64_t{1} << 40);
static_assert(shape{28, 28} == shape{28, 28} && !(shape{28, 28} == shape{784}));
static_assert(!(shape{2} == shape{2, 0}) && !(shape{2, 3} == shape{3, 2}));
static_assert(shape{1, 2, 3, 4, 5, 6}.elements() == 720);
static_assert(shape{1 << 30, 1 << 30, 4, 1 << 30, 1 << 30}.elements() == std::int64_t{1} << 62);
static_assert(shape{1 << 30, 1 << 30, 0, 5}.elements() == 0);
static_assert(shape{1, 2, 3, 4, 5, 6, 7}.rank == 7 && shape{1, 2, 3, 4, 5, 6, 7}.axes() == 6);
static_assert(!check_extents({}).found() && !check_extents({1 << 15, 1 << 15}).found());
static_assert(check_extents({28, 0}).expected.view() == "extents of at least 1");
static_assert(check_extents({1, 2, 3, 4, 5, 6, 7}).expected.view() == "at most 6 extents");
static_assert(check_extents({100'000, 100'000}).expected.view() ==
              "at most 1073741824 elements in a tensor");
static_assert(check_extents({1 << 30, 2}).got.view() == "(1073741824, 2)");
static_assert(describe(shape{}).view() == "()");
static_assert(describe(shape{784}).view() == "(784)");
static_assert(describe(shape{28, 28}).view() == "(28, 28)");

TEST_CASE("shape counts and describes its extents") {
  CHECK(shape{28, 28}.elements() == 784);
  CHECK(describe(shape{24, 24, 32}).view() == "(24, 24, 32)");
}

}  // namespace
