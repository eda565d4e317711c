// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/noise.hpp.
#include <ipu_dsl/vocabulary/layers/noise.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

static_assert(apply<GaussianNoise<0.5F>>({{2, 3}}).gives({2, 3}));
static_assert(apply<GaussianNoise<2>>({{8}}).gives({8}));
static_assert(apply<GaussianNoise<-0.5F>>({{8}}).refused("a standard deviation of at least 0",
                                                         "-0.5"));
static_assert(apply<GaussianDropout<0.25F>>({{8}}).gives({8}));
static_assert(apply<GaussianDropout<1.0F>>({{8}}).refused("a rate of at least 0 and below 1", "1"));
static_assert(apply<AlphaDropout<0.25F>>({{8}}).gives({8}));
static_assert(apply<AlphaDropout<-0.25F>>({{8}}).refused("a rate of at least 0 and below 1",
                                                         "-0.25"));
static_assert(apply<SpatialDropout1D<0.25F>>({{4, 8}}).gives({4, 8}));
static_assert(apply<SpatialDropout2D<0.25F>>({{4, 8, 2}}).gives({4, 8, 2}));
static_assert(apply<SpatialDropout1D<0.25F>>({{8}}).refused("a sequence (steps, channels)", "(8)"));
static_assert(apply<SpatialDropout2D<0.25F>>({{4, 8}}).refused("an image (rows, columns, channels)",
                                                               "(4, 8)"));
static_assert(apply<SpatialDropout1D<1.0F>>({{4, 8}}).refused("a rate of at least 0 and below 1",
                                                              "1"));
static_assert(describe(GaussianNoise<0.5F>::description).view() == "GaussianNoise<0.5>");
static_assert(describe(AlphaDropout<0.5F>::description).view() == "AlphaDropout<0.5>");
static_assert(describe(SpatialDropout1D<0.5F>::description).view() == "SpatialDropout1D<0.5>");

TEST_CASE("noise takes rates from 0 to below 1 and deviations of at least 0") {
  CHECK(apply<GaussianNoise<2>>({{8}}).gives({8}));
  CHECK(apply<GaussianDropout<1.0F>>({{8}}).found.found());
  CHECK(apply<SpatialDropout2D<0.25F>>({{4, 8}}).found.found());
}

}  // namespace
