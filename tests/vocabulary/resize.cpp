// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/resize.hpp.
#include <ipu_dsl/vocabulary/layers/resize.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

static_assert(apply<ZeroPadding2D<>>({{4, 5, 3}}).gives({6, 7, 3}));
static_assert(apply<ZeroPadding2D<2>>({{4, 5, 3}}).gives({8, 9, 3}));
static_assert(apply<ZeroPadding2D<1, 2>>({{4, 5, 3}}).gives({6, 9, 3}));
static_assert(apply<ZeroPadding2D<1, 0, 2, 3>>({{4, 5, 3}}).gives({5, 10, 3}));
static_assert(apply<ZeroPadding1D<>>({{4, 3}}).gives({6, 3}));
static_assert(apply<ZeroPadding1D<2, 0>>({{4, 3}}).gives({6, 3}));
static_assert(apply<Cropping2D<>>({{4, 5, 3}}).gives({4, 5, 3}));
static_assert(apply<Cropping2D<1, 0, 2, 2>>({{4, 5, 3}}).gives({3, 1, 3}));
static_assert(apply<Cropping1D<>>({{4, 3}}).gives({2, 3}));
static_assert(apply<Cropping1D<0, 3>>({{4, 3}}).gives({1, 3}));
static_assert(apply<UpSampling2D<>>({{4, 5, 3}}).gives({8, 10, 3}));
static_assert(apply<UpSampling2D<3, 1>>({{4, 5, 3}}).gives({12, 5, 3}));
static_assert(apply<UpSampling2D<bilinear>>({{4, 5, 3}}).gives({8, 10, 3}));
static_assert(apply<UpSampling2D<3, bilinear>>({{4, 5, 3}}).gives({12, 15, 3}));
static_assert(apply<UpSampling2D<3, 1, bilinear>>({{4, 5, 3}}).gives({12, 5, 3}));
static_assert(apply<UpSampling1D<>>({{4, 3}}).gives({8, 3}));
static_assert(apply<RepeatVector<5>>({{3}}).gives({5, 3}));

static_assert(apply<Cropping1D<2>>({{4, 3}}).refused("something left behind the cropping",
                                                     "1 x 0 of 1 x 4"));
static_assert(apply<Cropping2D<2, 1>>({{4, 5, 3}})
                  .refused("something left behind the cropping", "0 x 3 of 4 x 5"));
static_assert(apply<ZeroPadding2D<-1>>({{4, 5, 3}}).refused("numbers of at least 0", "-1"));
static_assert(apply<UpSampling1D<0>>({{4, 3}}).refused("numbers of at least 1", "0"));
static_assert(apply<UpSampling2D<0, bilinear>>({{4, 4, 3}}).refused("numbers of at least 1", "0"));
static_assert(apply<UpSampling2D<1, 2, 3, bilinear>>({{4, 5, 3}}).found.found());
static_assert(apply<RepeatVector<0>>({{3}}).refused("numbers of at least 1", "0"));
static_assert(apply<RepeatVector<2>>({{3, 3}}).refused("a vector", "(3, 3)"));
static_assert(
    apply<ZeroPadding1D<>>({{4, 5, 3}}).refused("a sequence (steps, channels)", "(4, 5, 3)"));
static_assert(apply<UpSampling2D<>>({{4, 5}}).refused("an image (rows, columns, channels)",
                                                      "(4, 5)"));
static_assert(apply<ZeroPadding1D<1, 2, 3>>({{4, 5}}).refused("one number or two", "3"));
static_assert(apply<Cropping2D<1, 2, 3>>({{4, 5, 3}}).refused("one number, two or four", "3"));
static_assert(apply<UpSampling2D<1, 2, 3>>({{4, 5, 3}}).refused("one number or two", "3"));

static_assert(describe(ZeroPadding2D<1>::description).view() == "ZeroPadding2D<1, 1, 1, 1>");
static_assert(describe(Cropping1D<0, 3>::description).view() == "Cropping1D<0, 3>");
static_assert(describe(UpSampling2D<3, 1>::description).view() == "UpSampling2D<3, 1>");
static_assert(describe(UpSampling2D<3, 1, bilinear>::description).view() ==
              "UpSampling2D<3, 1, bilinear>");
static_assert(describe(UpSampling2D<bilinear>::description).view() ==
              "UpSampling2D<2, 2, bilinear>");
static_assert(describe(UpSampling1D<>::description).view() == "UpSampling1D<2>");
static_assert(describe(RepeatVector<5>::description).view() == "RepeatVector<5>");

TEST_CASE("padding, cropping, upsampling and repeating have Keras's shapes") {
  CHECK(apply<ZeroPadding2D<1, 0, 2, 3>>({{4, 5, 3}}).gives({5, 10, 3}));
  CHECK(apply<Cropping2D<1, 0, 2, 2>>({{4, 5, 3}}).gives({3, 1, 3}));
  CHECK(apply<UpSampling2D<3, 1>>({{4, 5, 3}}).gives({12, 5, 3}));
  CHECK(apply<RepeatVector<5>>({{3}}).gives({5, 3}));
  CHECK(apply<Cropping1D<2>>({{4, 3}}).found.found());
}

}  // namespace
