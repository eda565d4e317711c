// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/conv2d_transpose.hpp: shapes as Keras has them, options, refusals.
#include <ipu_dsl/vocabulary/layers/conv2d_transpose.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using testing::same_start;
using tests::checks;

constexpr checks test_shapes() {
  checks done;
  done.that(apply<Conv2DTranspose<8, 3>>({{5, 4, 2}}).gives({7, 6, 8}));
  done.that(apply<Conv2DTranspose<8, 3, strides<2>>>({{5, 4, 2}}).gives({11, 9, 8}));
  done.that(apply<Conv2DTranspose<8, 2, strides<3>>>({{5, 4, 2}}).gives({15, 12, 8}));
  done.that(
      apply<Conv2DTranspose<8, 3, strides<2, 1>, same_padding>>({{5, 4, 2}}).gives({10, 4, 8}));
  done.that(apply<Conv2DTranspose<8, 3, dilation_rate<2>>>({{5, 4, 2}}).gives({9, 8, 8}));
  return done;
}

/// With a number it is added to the smallest output.
constexpr checks test_output_padding() {
  checks done;
  done.that(
      apply<Conv2DTranspose<8, 3, strides<2>, output_padding<0>>>({{5, 4, 2}}).gives({11, 9, 8}));
  done.that(
      apply<Conv2DTranspose<8, 3, strides<2>, output_padding<1>>>({{5, 4, 2}}).gives({12, 10, 8}));
  done.that(
      apply<Conv2DTranspose<8, 3, strides<2>, output_padding<1, 0>, same_padding>>({{5, 4, 2}})
          .gives({10, 7, 8}));
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<Conv2DTranspose<32, kernel_size{3, 5}>>({{8, 8, 4}});
  checks done;
  done.that(made.parameter(0).name == "kernel");
  done.that(made.parameter(0).extents == shape{3, 5, 32, 4});
  done.that(made.parameter(0).lies == storage::panels);
  done.that(same_start(made.parameter(0).start, glorot_uniform::start));
  done.that(made.parameter(1).name == "bias");
  done.that(made.parameter(1).extents == shape{32});
  done.that(apply<Conv2DTranspose<8, 3, use_bias<false>>>({{8, 8, 4}}).only().parameters == 1);
  return done;
}

constexpr checks test_refusals() {
  const shape image{8, 8, 4};
  checks done;
  done.that(apply<Conv2DTranspose<8, 3>>({{8, 8}}).refused("an image (rows, columns, channels)",
                                                           "(8, 8)"));
  done.that(apply<Conv2DTranspose<0, 3>>({image}).refused("at least 1 filter", "0"));
  done.that(apply<Conv2DTranspose<8, 3, causal_padding>>({image}).refused(
      "valid_padding or same_padding", "causal_padding"));
  done.that(apply<Conv2DTranspose<8, 3, strides<2>, output_padding<2>>>({image}).refused(
      "an output_padding below the strides", "2 and 2"));
  done.that(apply<Conv2DTranspose<8, 2, strides<2>, output_padding<0>, same_padding>>({image})
                .found.found());
  done.that(apply<Conv2DTranspose<8, 3, groups<2>>>({image}).found.found());
  return done;
}

static_assert(test_shapes());
static_assert(test_output_padding());
static_assert(test_parameters());
static_assert(test_refusals());
static_assert(describe(Conv2DTranspose<8, 3, strides<2>, output_padding<1, 0>, relu>::description)
                  .view() == "Conv2DTranspose<8, 3, strides<2>, output_padding<1, 0>, relu>");

TEST_CASE("Conv2DTranspose has Keras's shapes and parameters") {
  CHECK(test_shapes());
  CHECK(test_output_padding());
  CHECK(test_parameters());
}

TEST_CASE("Conv2DTranspose refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
