// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/permute.hpp.
#include <ipu_dsl/vocabulary/layers/permute.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

static_assert(apply<Permute<2, 1>>({{4, 3}}).gives({3, 4}));
static_assert(apply<Permute<3, 1, 2>>({{4, 5, 3}}).gives({3, 4, 5}));
static_assert(apply<Permute<1>>({{4}}).gives({4}));
static_assert(apply<Permute<2, 1>>({{4}}).refused("each axis from 1 to 1 once", "2, 1 of (4)"));
static_assert(apply<Permute<1, 1>>({{4, 3}}).refused("each axis from 1 to 2 once",
                                                     "1, 1 of (4, 3)"));
static_assert(apply<Permute<0, 1>>({{4, 3}}).refused("each axis from 1 to 2 once",
                                                     "0, 1 of (4, 3)"));
static_assert(apply<Permute<1, 2, 3, 4, 5>>({{4, 3}}).refused("at most four axes", "more"));
static_assert(describe(Permute<3, 1, 2>::description).view() == "Permute<3, 1, 2>");

// The strides of what is read, by axis of what is written.
constexpr permute_call turned = permute_rules::key_of(
    7, {1, 4, 5, 3}, permute_rules::axis_order({.rank = 3, .axes = {3, 1, 2}}));
static_assert(turned.extents[1] == 3 && turned.extents[2] == 4 && turned.extents[3] == 5);
static_assert(turned.strides[1] == 1 && turned.strides[2] == 15 && turned.strides[3] == 3);

TEST_CASE("Permute names every axis once") {
  CHECK(apply<Permute<3, 1, 2>>({{4, 5, 3}}).gives({3, 4, 5}));
  CHECK(apply<Permute<1, 1>>({{4, 3}}).found.found());
}

}  // namespace
