// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/separable_conv2d.hpp: shapes as Keras has them, options, refusals.
#include <ipu_dsl/vocabulary/layers/separable_conv2d.hpp>

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
  done.that(apply<SeparableConv2D<32, 3>>({{28, 27, 6}}).gives({26, 25, 32}));
  done.that(apply<SeparableConv2D<8, 3, strides<2>, same_padding>>({{9, 8, 1}}).gives({5, 4, 8}));
  done.that(apply<SeparableConv2D<8, 3, depth_multiplier<3>>>({{9, 8, 2}}).gives({7, 6, 8}));
  return done;
}

constexpr checks test_parameters() {
  const auto made =
      apply<SeparableConv2D<5, kernel_size{3, 2}, depth_multiplier<2>, pointwise_init<he_normal>>>(
          {{28, 28, 4}});
  checks done;
  done.that(made.parameter(0).name == "depthwise_kernel");
  done.that(made.parameter(0).extents == shape{3, 2, 4, 2});
  done.that(same_start(made.parameter(0).start, glorot_uniform::start));
  done.that(made.parameter(1).name == "pointwise_kernel");
  done.that(made.parameter(1).extents == shape{1, 1, 8, 5});
  done.that(same_start(made.parameter(1).start, he_normal::start));
  done.that(made.parameter(2).name == "bias");
  done.that(made.parameter(2).extents == shape{5});
  done.that(apply<SeparableConv2D<5, 3, use_bias<false>>>({{28, 28, 4}}).only().parameters == 2);
  return done;
}

constexpr checks test_refusals() {
  const shape image{28, 28, 4};
  checks done;
  done.that(
      apply<SeparableConv2D<8, 3>>({{784}}).refused("an image (rows, columns, channels)", "(784)"));
  done.that(apply<SeparableConv2D<0, 3>>({image}).refused("at least 1 filter", "0"));
  done.that(apply<SeparableConv2D<8, 29>>({image}).refused("a kernel within the image",
                                                           "29 x 29 on (28, 28, 4)"));
  done.that(apply<SeparableConv2D<8, 3, strides<2>, dilation_rate<2>>>({image}).refused(
      "strides of 1 beside a dilation_rate", "strides of 2 and 2 and a dilation_rate of 2 and 2"));
  done.that(SeparableConv2D<8, 3, kernel_regularizer<l2<0.01F>>>::description.fault->hint.view() ==
            "write depthwise_regularizer<...> or pointwise_regularizer<...>");
  return done;
}

/// Whether one call makes both convolutions of 3x3 on an image of a micro-batch.
constexpr bool goes_together(const shape& image, std::int32_t batch, std::int32_t multiplier = 1) {
  const convolution_options options{.filters = 5,
                                    .kernel_rows = 3,
                                    .kernel_columns = 3,
                                    .padding = padding_kind::same,
                                    .depth_multiplier = multiplier};
  return separable_rules::placed(options, image, batch).go_together();
}

constexpr checks test_calls() {
  checks done;
  done.that(goes_together({56, 56, 64}, 1));
  // So little lies between the two that it stays near.
  done.that(!goes_together({13, 13, 6}, 2));
  done.that(goes_together({13, 13, 6}, 16));
  // Lines too long for a stack, and filters that share a channel.
  done.that(!goes_together({56, 112, 64}, 1));
  done.that(!goes_together({56, 56, 32}, 1, 2));
  return done;
}

static_assert(test_shapes());
static_assert(test_calls());
static_assert(test_parameters());
static_assert(test_refusals());
static_assert(SeparableConv2D<8, 3>::description.weights == nullptr);
static_assert(SeparableConv2D<8, 3, pointwise_regularizer<l1<0.5F>>>::description.weights
                  ->entries[1]
                  .rules.l1 == 0.5F);
static_assert(describe(SeparableConv2D<8, 3, depth_multiplier<2>, relu>::description).view() ==
              "SeparableConv2D<8, 3, depth_multiplier<2>, relu>");

TEST_CASE("SeparableConv2D has Keras's shapes and parameters") {
  CHECK(test_shapes());
  CHECK(test_calls());
  CHECK(test_parameters());
}

TEST_CASE("SeparableConv2D refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
