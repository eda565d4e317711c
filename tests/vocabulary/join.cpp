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
static_assert(apply<Concatenate>({{2, 3}, {3, 3}}).found.hint.view() ==
              "ConcatenateOn<1> joins what differs in axis 1");
static_assert(apply<Concatenate>({{6}, {2, 3}}).found.found());
static_assert(apply<Concatenate>({{}, {}}).refused("inputs with at least 1 axis", "a scalar"));
static_assert(apply<ConcatenateOn<1>>({{2, 3}, {4, 3}}).gives({6, 3}));
static_assert(apply<ConcatenateOn<-2>>({{2, 3}, {4, 3}}).gives({6, 3}));
static_assert(apply<ConcatenateOn<2>>({{5, 2, 3}, {5, 4, 3}, {5, 1, 3}}).gives({5, 7, 3}));
static_assert(apply<ConcatenateOn<-1>>({{2, 3}, {2, 1}}).gives({2, 4}));
static_assert(apply<ConcatenateOn<1>>({{2, 3}, {2, 1}})
                  .refused("inputs that differ in axis 1 only",
                           "(2, 3) and (2, 1) as inputs 0 and 1"));
static_assert(apply<ConcatenateOn<3>>({{2, 3}, {2, 3}})
                  .refused("an axis from 1 to 2 or from -1 to -2", "3 of (2, 3)"));
static_assert(apply<ConcatenateOn<-3>>({{2, 3}, {2, 3}}).found.found());
static_assert(apply<ConcatenateOn<0>>({{2, 3}, {2, 3}}).refused("an axis of a sample", "0"));
static_assert(describe(ConcatenateOn<1>::description).view() == "ConcatenateOn<1>");
static_assert(describe(Concatenate::description).view() == "Concatenate");

TEST_CASE("Add wants one shape, Concatenate all but the last axis") {
  CHECK(apply<Add>({{8}, {8}}).gives({8}));
  CHECK(apply<Add>({{8}, {9}}).found.found());
  CHECK(apply<Concatenate>({{2, 3}, {2, 1}}).gives({2, 4}));
  CHECK(apply<Concatenate>({{2, 3}, {3, 3}}).found.found());
  CHECK(apply<ConcatenateOn<1>>({{2, 3}, {3, 3}}).gives({5, 3}));
  CHECK(apply<ConcatenateOn<3>>({{2, 3}, {3, 3}}).found.found());
}

}  // namespace
