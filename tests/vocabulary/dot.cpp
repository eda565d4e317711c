// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/dot.hpp: shapes, axes, refusals.
#include <ipu_dsl/vocabulary/layers/dot.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using tests::checks;

constexpr checks test_shapes() {
  checks done;
  done.that(apply<Dot<2, 1>>({{3, 5}, {5, 4}}).gives({3, 4}));
  done.that(apply<Dot<1>>({{3, 5}, {3, 4}}).gives({5, 4}));
  done.that(apply<Dot<-1>>({{3, 5}, {4, 5}}).gives({3, 4}));
  done.that(apply<Dot<1>>({{6}, {6}}).gives({1}));
  done.that(apply<Dot<2, 1>>({{3, 5, 2}, {5}}).gives({3, 2}));
  done.that(apply<Dot<3, -2>>({{3, 2, 5}, {5, 7}}).gives({3, 2, 7}));
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(apply<Dot<2>>({{3, 5}, {5, 4}})
                .refused("axes of one length", "5 and 4 of (3, 5) and (5, 4) as inputs 0 and 1"));
  done.that(apply<Dot<3>>({{3, 5}, {5, 4}})
                .refused("an axis from 1 to 2 or from -1 to -2", "3 of (3, 5)"));
  done.that(apply<Dot<0>>({{3}, {3}}).refused("an axis from 1 to 1 or from -1 to -1", "0 of (3)"));
  done.that(apply<Dot<1>>({{3}}).refused("2 inputs", "1"));
  done.that(apply<Dot<1>>({{2, 2, 2, 2, 3}, {2, 2, 2, 2}})
                .refused("at most 6 axes of the products", "7"));
  done.that(apply<Dot<>>({{3}, {3}}).found.found());
  return done;
}

static_assert(test_shapes());
static_assert(test_refusals());
static_assert(describe(Dot<2, 1, l2_normalize<true>>::description).view() ==
              "Dot<2, 1, l2_normalize<true>>");
static_assert(describe(Dot<1>::description).view() == "Dot<1, 1>");

TEST_CASE("Dot multiplies along an axis of each of two inputs") {
  CHECK(test_shapes());
}

TEST_CASE("Dot refuses axes that do not fit") {
  CHECK(test_refusals());
}

}  // namespace
