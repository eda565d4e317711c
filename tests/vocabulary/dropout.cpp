// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/dropout.hpp.
#include <ipu_dsl/vocabulary/layers/dropout.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

static_assert(apply<Dropout<0.5F>>({{2, 3}}).gives({2, 3}));
static_assert(apply<Dropout<0.0F>>({{8}}).gives({8}));
static_assert(apply<Dropout<0.999F>>({{8}}).gives({8}));
static_assert(apply<Dropout<1.0F>>({{8}}).refused("a rate of at least 0 and below 1", "1"));
static_assert(apply<Dropout<-0.25F>>({{8}}).refused("a rate of at least 0 and below 1", "-0.25"));
static_assert(describe(Dropout<0.2F>::description).view() == "Dropout<0.2>");

TEST_CASE("Dropout takes rates from 0 to below 1") {
  CHECK(apply<Dropout<0.5F>>({{8}}).gives({8}));
  CHECK(apply<Dropout<1.0F>>({{8}}).found.found());
}

}  // namespace
