// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/group_normalization.hpp: groups, parameters as Keras has them,
// refusals.
#include <ipu_dsl/vocabulary/layers/group_normalization.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using tests::checks;

constexpr checks test_groups() {
  checks done;
  done.that(apply<GroupNormalization<>>({{4, 4, 64}}).gives({4, 4, 64}));
  done.that(apply<GroupNormalization<2>>({{6}}).gives({6}));
  done.that(apply<GroupNormalization<-1>>({{4, 5}}).gives({4, 5}));
  done.that(apply<GroupNormalization<2>>({{4, 6}}).parameter(0).extents == shape{6});
  done.that(apply<GroupNormalization<2, use_scale<false>>>({{4, 6}}).parameter(0).name == "beta");
  done.that(describe(GroupNormalization<>::description).view() == "GroupNormalization<32>");
  done.that(describe(GroupNormalization<4, use_scale<false>>::description).view() ==
            "GroupNormalization<4, use_scale<false>>");
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(apply<GroupNormalization<4>>({{5, 6}}).refused("groups that divide the channels",
                                                           "4 groups of 6 channels"));
  done.that(apply<GroupNormalization<0>>({{6}}).refused(
      "at least 1 group, or -1 for a group of every channel", "0"));
  done.that(
      apply<GroupNormalization<2, epsilon<-1.0F>>>({{6}}).refused("an epsilon above 0", "-1"));
  done.that(GroupNormalization<2, use_bias<false>>::description.fault->found());
  done.that(GroupNormalization<2.5F>::description.fault->found());
  return done;
}

static_assert(test_groups());
static_assert(test_refusals());

TEST_CASE("GroupNormalization has Keras's defaults and refuses groups that do not divide") {
  CHECK(test_groups());
  CHECK(test_refusals());
}

}  // namespace
