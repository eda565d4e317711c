// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/depthwise_conv2d.hpp: shapes as Keras has them, options, refusals.
#include <ipu_dsl/vocabulary/layers/depthwise_conv2d.hpp>

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
  done.that(apply<DepthwiseConv2D<3>>({{28, 27, 6}}).gives({26, 25, 6}));
  done.that(apply<DepthwiseConv2D<3, depth_multiplier<4>>>({{28, 27, 6}}).gives({26, 25, 24}));
  done.that(apply<DepthwiseConv2D<kernel_size{3, 1}, strides<2>, same_padding>>({{9, 8, 1}})
                .gives({5, 4, 1}));
  done.that(apply<DepthwiseConv2D<3, dilation_rate<2>>>({{9, 8, 5}}).gives({5, 4, 5}));
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<DepthwiseConv2D<kernel_size{3, 5}, depth_multiplier<2>>>({{28, 28, 4}});
  const tensor& kernel = made.parameter(0);
  const tensor& bias = made.parameter(1);
  checks done;
  done.that(kernel.name == "depthwise_kernel");
  done.that(kernel.extents == shape{3, 5, 4, 2});
  done.that(same_start(kernel.start, glorot_uniform::start));
  done.that(bias.name == "bias");
  done.that(bias.extents == shape{8});
  done.that(same_start(bias.start, zeros::start));
  const auto chosen =
      apply<DepthwiseConv2D<3, depthwise_init<he_uniform>, use_bias<false>>>({{28, 28, 4}});
  done.that(chosen.only().parameters == 1);
  done.that(same_start(chosen.parameter(0).start, he_uniform::start));
  return done;
}

constexpr checks test_refusals() {
  const shape image{28, 28, 4};
  checks done;
  done.that(apply<DepthwiseConv2D<3>>({{28, 28}})
                .refused("an image (rows, columns, channels)", "(28, 28)"));
  done.that(apply<DepthwiseConv2D<3, depth_multiplier<0>>>({image}).refused(
      "at least 1 filter of each channel in depth_multiplier<...>", "0"));
  done.that(apply<DepthwiseConv2D<0>>({image}).refused("a kernel of at least 1 row and 1 column",
                                                       "0 x 0"));
  done.that(apply<DepthwiseConv2D<29>>({image}).refused("a kernel within the image",
                                                        "29 x 29 on (28, 28, 4)"));
  done.that(apply<DepthwiseConv2D<3, causal_padding>>({image}).refused(
      "valid_padding or same_padding", "causal_padding"));
  done.that(apply<DepthwiseConv2D<3, groups<2>>>({image}).found.found());
  return done;
}

static_assert(test_shapes());
static_assert(test_parameters());
static_assert(test_refusals());
static_assert(DepthwiseConv2D<3>::description.weights == nullptr);
static_assert(DepthwiseConv2D<3, depthwise_regularizer<l2<0.5F>>>::description.weights->entries[0]
                  .rules.l2 == 0.5F);
static_assert(describe(DepthwiseConv2D<3, strides<2>, depth_multiplier<2>, relu>::description)
                  .view() == "DepthwiseConv2D<3, depth_multiplier<2>, strides<2>, relu>");

TEST_CASE("DepthwiseConv2D has Keras's shapes and parameters") {
  CHECK(test_shapes());
  CHECK(test_parameters());
}

TEST_CASE("DepthwiseConv2D refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
