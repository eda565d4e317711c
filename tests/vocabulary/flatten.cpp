// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/flatten.hpp.
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

static_assert(apply<Flatten>({{28, 28}}).gives({784}));
static_assert(apply<Flatten>({{784}}).gives({784}));
static_assert(apply<Flatten>({{}}).gives({1}));
static_assert(apply<Flatten>({{28, 28}}).output().view_of == 0, "Flatten moves nothing");
static_assert(apply<Reshape<28, 28>>({{784}}).gives({28, 28}));
static_assert(apply<Reshape<>>({{1}}).gives({}));
static_assert(apply<Reshape<28, -1>>({{784}}).gives({28, 28}));
static_assert(apply<Reshape<-1, 5>>({{784}}).refused(
    "extents whose product divides the input's 784 elements", "(-1, 5)"));
static_assert(apply<Reshape<-1, -1>>({{784}}).refused(
    "extents of at least 1, of which one may be left open as -1", "(-1, -1)"));
static_assert(apply<Reshape<-1, -1, -1>>({{784}}).refused(
    "extents of at least 1, of which one may be left open as -1", "(-1, -1, -1)"));
static_assert(apply<Reshape<0>>({{784}}).found.found());
static_assert(apply<Reshape<4, 7, 28>>({{28, 28}}).output().view_of == 0);
static_assert(apply<Reshape<28, 29>>({{784}}).refused("an input of 812 elements",
                                                      "(784), which has 784"));
static_assert(describe(Flatten::description).view() == "Flatten");
static_assert(describe(Reshape<28, 28>::description).view() == "Reshape<28, 28>");

TEST_CASE("Flatten and Reshape only look at the elements in another shape") {
  CHECK(apply<Flatten>({{28, 28}}).gives({784}));
  CHECK(apply<Reshape<28, 28>>({{784}}).output().view_of == 0);
  CHECK(apply<Reshape<28, 29>>({{784}}).found.found());
}

}  // namespace
