// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/join.hpp.
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

static_assert(apply<Add>({{8}, {8}}).gives({8}));
static_assert(apply<Add>({{2, 3}, {2, 3}, {2, 3}}).gives({2, 3}));
static_assert(apply<Add>({{8}}).refused("at least 2 inputs", "1"));
static_assert(
    apply<Add>({{8}, {8}, {9}}).refused("inputs of one shape", "(8) and (9) as inputs 0 and 2"));
static_assert(apply<Concatenate>({{8}, {3}}).gives({11}));
static_assert(apply<Concatenate>({{2, 3}, {2, 1}, {2, 4}}).gives({2, 8}));
static_assert(apply<Concatenate>({{8}}).refused("at least 2 inputs", "1"));
static_assert(apply<Concatenate>({{2, 3}, {3, 3}})
                  .refused("inputs that differ in the last axis only",
                           "(2, 3) and (3, 3) as inputs 0 and 1"));
static_assert(apply<Concatenate>({{6}, {2, 3}}).found.found());
static_assert(apply<Concatenate>({{}, {}}).refused("inputs with at least 1 axis", "a scalar"));

TEST_CASE("Add wants one shape, Concatenate all but the last axis") {
  CHECK(apply<Add>({{8}, {8}}).gives({8}));
  CHECK(apply<Add>({{8}, {9}}).found.found());
  CHECK(apply<Concatenate>({{2, 3}, {2, 1}}).gives({2, 4}));
  CHECK(apply<Concatenate>({{2, 3}, {3, 3}}).found.found());
}

}  // namespace
