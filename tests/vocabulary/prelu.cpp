// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/prelu.hpp.
#include <ipu_dsl/vocabulary/layers/prelu.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

template <typename Layer>
constexpr shape slopes_of(const shape& input) {
  return apply<Layer>({input}).parameter(0).extents;
}

static_assert(apply<PReLU<>>({{4, 5, 3}}).gives({4, 5, 3}));
static_assert(slopes_of<PReLU<>>({4, 5, 3}) == shape{4, 5, 3});
static_assert(slopes_of<PReLU<shared_axes<1, 2>>>({4, 5, 3}) == shape{1, 1, 3});
static_assert(slopes_of<PReLU<shared_axes<1>>>({8}) == shape{1});
static_assert(apply<PReLU<shared_axes<2>>>({{8}}).refused("shared axes from 1 to 1",
                                                          "axis 2 of (8)"));
static_assert(apply<PReLU<shared_axes<0>>>({{8}}).refused("shared axes from 1 to 1",
                                                          "one that no sample has of (8)"));
static_assert(apply<PReLU<>>({{}}).refused("samples of 1 to 4 axes", "()"));
static_assert(apply<PReLU<init<constant<0.25F>>>>({{8}}).parameter(0).start.value == 0.25F);
static_assert(describe(PReLU<shared_axes<1, 2>>::description).view() == "PReLU<shared_axes<1, 2>>");
static_assert(describe(PReLU<>::description).view() == "PReLU<>");

TEST_CASE("PReLU has a slope for every element, or one along shared axes") {
  CHECK(slopes_of<PReLU<>>({4, 5, 3}) == shape{4, 5, 3});
  CHECK(slopes_of<PReLU<shared_axes<1, 2>>>({4, 5, 3}) == shape{1, 1, 3});
  CHECK(apply<PReLU<shared_axes<2>>>({{8}}).found.found());
}

}  // namespace
