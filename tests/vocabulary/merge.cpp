// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/merge.hpp.
#include <ipu_dsl/vocabulary/layers/merge.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

static_assert(apply<Subtract>({{8}, {8}}).gives({8}));
static_assert(apply<Subtract>({{8}, {8}, {8}}).refused("2 inputs", "3"));
static_assert(apply<Subtract>({{8}}).refused("2 inputs", "1"));
static_assert(apply<Multiply>({{2, 3}, {2, 3}, {2, 3}}).gives({2, 3}));
static_assert(apply<Average>({{8}}).refused("at least 2 inputs", "1"));
static_assert(apply<Maximum>({{8}, {8}, {9}})
                  .refused("inputs of one shape", "(8) and (9) as inputs 0 and 2"));
static_assert(apply<Minimum>({{2, 4}, {8}})
                  .refused("inputs of one shape", "(2, 4) and (8) as inputs 0 and 1"));
// A number a channel can be repeated, on whichever side it stands.
static_assert(apply<Multiply>({{8, 9, 16}, {16}}).found.hint.view() ==
              "RepeatVector<72> and Reshape<8, 9, 16> for the 16 numbers at every position");
static_assert(apply<Multiply>({{1, 1, 16}, {8, 9, 16}}).found.hint.view() ==
              "Flatten, RepeatVector<72> and Reshape<8, 9, 16> for the 16 numbers at every "
              "position");
static_assert(apply<Multiply>({{5, 4}, {4}}).found.hint.view() ==
              "RepeatVector<5> for the 4 numbers at every position");
static_assert(apply<Multiply>({{8, 9, 16}, {9}}).found.hint.view() ==
              "numbers are merged in pairs: nothing is repeated to fit");
static_assert(apply<Multiply>({{2, 4}, {8}}).found.hint.view() ==
              "numbers are merged in pairs: nothing is repeated to fit");
static_assert(describe(Subtract::description).view() == "Subtract" &&
              describe(Multiply::description).view() == "Multiply" &&
              describe(Average::description).view() == "Average" &&
              describe(Maximum::description).view() == "Maximum" &&
              describe(Minimum::description).view() == "Minimum");

TEST_CASE("merges want one shape, Subtract two inputs") {
  CHECK(apply<Subtract>({{8}, {8}}).gives({8}));
  CHECK(apply<Subtract>({{8}, {8}, {8}}).found.found());
  CHECK(apply<Average>({{8}, {8}, {8}}).gives({8}));
  CHECK(apply<Maximum>({{8}, {9}}).found.found());
}

}  // namespace
