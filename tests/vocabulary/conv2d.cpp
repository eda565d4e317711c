// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/conv2d.hpp: shapes as Keras has them, options, refusals.
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>

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
  done.that(apply<Conv2D<32, 3>>({{28, 28, 1}}).gives({26, 26, 32}));
  done.that(apply<Conv2D<32, 3, same_padding>>({{28, 27, 1}}).gives({28, 27, 32}));
  done.that(apply<Conv2D<8, 3, strides<2>>>({{28, 28, 1}}).gives({13, 13, 8}));
  done.that(apply<Conv2D<8, 3, strides<2>, same_padding>>({{28, 27, 1}}).gives({14, 14, 8}));
  done.that(apply<Conv2D<8, kernel_size{3, 5}, strides<2, 1>>>({{9, 9, 2}}).gives({4, 5, 8}));
  done.that(apply<Conv2D<8, kernel_size{7, 5}, same_padding>>({{3, 2, 2}}).gives({3, 2, 8}));
  done.that(apply<Conv2D<8, 3, dilation_rate<2>>>({{28, 27, 1}}).gives({24, 23, 8}));
  done.that(apply<Conv2D<8, 3, dilation_rate<3, 1>>>({{28, 27, 1}}).gives({22, 25, 8}));
  done.that(apply<Conv2D<8, 3, dilation_rate<2>, same_padding>>({{28, 27, 1}}).gives({28, 27, 8}));
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<Conv2D<32, kernel_size{3, 5}>>({{28, 28, 4}});
  const tensor& kernel = made.parameter(0);
  const tensor& bias = made.parameter(1);
  checks done;
  done.that(kernel.name == "kernel");
  done.that(kernel.extents == shape{3, 5, 4, 32});
  done.that(kernel.lies == storage::panels);
  done.that(bias.name == "bias");
  done.that(bias.extents == shape{32});
  done.that(same_start(kernel.start, glorot_uniform::start));
  done.that(same_start(bias.start, zeros::start));
  done.that(apply<Conv2D<32, 3, use_bias<false>>>({{28, 28, 4}}).only().parameters == 1);
  done.that(apply<Conv2D<32, 3, groups<2>>>({{28, 28, 4}}).parameter(0).extents ==
            shape{3, 3, 2, 32});
  return done;
}

/// Pixels are padded one by one, where that is padding.
constexpr bool test_storage() {
  return apply<Conv2D<6, 3>>({{28, 28, 1}}).output().lies == storage::positions &&
         apply<Conv2D<32, 3>>({{28, 28, 1}}).output().lies == storage::rows;
}

/// Of an even number of missing positions half comes before the image, of an odd one the rest.
constexpr checks test_placing() {
  checks done;
  done.that(window_placing(5, 3, 1, padding_kind::same).padding == 1);
  done.that(window_placing(5, 2, 1, padding_kind::same).padding == 0);
  done.that(window_placing(5, 4, 1, padding_kind::same).padding == 1);
  done.that(window_placing(6, 3, 2, padding_kind::same).padding == 0);
  done.that(window_placing(5, 1, 3, padding_kind::same).padding == 0);
  done.that(window_placing(5, 3, 1, padding_kind::valid).padding == 0);
  done.that(window_placing(7, 3, 1, padding_kind::same, 2).padding == 2);
  done.that(window_placing(7, 3, 1, padding_kind::valid, 2).outputs == 3);
  done.that(window_placing(7, 3, 2, padding_kind::causal).padding == 2);
  done.that(window_placing(7, 3, 2, padding_kind::causal).outputs == 4);
  done.that(window_placing(7, 3, 1, padding_kind::causal, 4).padding == 8);
  return done;
}

constexpr checks test_refusals() {
  const shape image{28, 28, 1};
  checks done;
  done.that(apply<Conv2D<8, 3>>({{784}}).refused("an image (rows, columns, channels)", "(784)"));
  done.that(apply<Conv2D<8, 3>>({{784}}).found.hint.view() ==
            "Reshape<28, 28, 1> makes a vector of 784 an image of one channel");
  done.that(apply<Conv2D<8, 3>>({{60}}).found.hint.view() ==
            "Reshape<6, 10, 1> makes a vector of 60 an image of one channel");
  done.that(apply<Conv2D<0, 3>>({image}).refused("at least 1 filter", "0"));
  done.that(
      apply<Conv2D<8, 0>>({image}).refused("a kernel of at least 1 row and 1 column", "0 x 0"));
  done.that(
      apply<Conv2D<8, 3.5>>({image}).refused("a whole number as kernel", "a value of type double"));
  done.that(apply<Conv2D<0.5F, 3>>({image}).refused("a whole number as filters",
                                                    "a value of type float"));
  done.that(apply<Conv2D<8>>({image}).refused("a whole number as kernel", "none"));
  done.that(apply<Conv2D<8, kernel_size{5}>>({{28, 4, 1}})
                .refused("a kernel within the image", "5 x 5 on (28, 4, 1)"));
  done.that(apply<Conv2D<8, 3, strides<0>>>({image}).refused("strides of at least 1", "0 and 0"));
  done.that(apply<Conv2D<8, kernel_size{3, 5}>>({{3, 4, 1}})
                .refused("a kernel within the image", "3 x 5 on (3, 4, 1)"));
  done.that(apply<Conv2D<8, 5>>({{3, 32, 32}}).found.hint.view() ==
            "channels are the last axis of an image: input<32, 32, 3>");
  done.that(apply<Conv2D<8, 3, dilation_rate<0>>>({image}).refused("a dilation_rate of at least 1",
                                                                   "0 and 0"));
  done.that(apply<Conv2D<8, 3, dilation_rate<2>, strides<1, 2>>>({image}).refused(
      "strides of 1 beside a dilation_rate", "strides of 1 and 2 and a dilation_rate of 2 and 2"));
  done.that(apply<Conv2D<8, 3, dilation_rate<4>>>({{9, 8, 1}})
                .refused("a kernel within the image", "3 x 3 dilated to 9 x 9 on (9, 8, 1)"));
  done.that(apply<Conv2D<8, 3, causal_padding>>({image}).refused("valid_padding or same_padding",
                                                                 "causal_padding"));
  done.that(
      apply<Conv2D<8, 3, groups<0>>>({image}).refused("at least 1 group in groups<...>", "0"));
  done.that(apply<Conv2D<8, 3, groups<3>>>({{9, 9, 6}})
                .refused("groups that divide channels and filters",
                         "3 groups of 6 channels and 8 filters"));
  done.that(convolution_rules::hint_of_groups(6, 8).view() == "both can be divided by 2, 1");
  done.that(convolution_rules::hint_of_groups(3, 8).view() == "no other number divides both");
  done.that(convolution_rules::hint_of_groups(64, 128).view() ==
            "both can be divided by 64, 32, 16, 8, 4, 2");
  done.that(apply<Conv2D<8, 3, same_padding, valid_padding>>({image}).found.found());
  return done;
}

static_assert(test_shapes());
static_assert(test_parameters());
static_assert(test_storage());
static_assert(test_placing());
static_assert(test_refusals());
static_assert(describe(Conv2D<32, 3>::description).view() == "Conv2D<32, 3>");
static_assert(
    describe(Conv2D<32, kernel_size{3, 5}, relu, strides<2, 1>, same_padding>::description)
        .view() == "Conv2D<32, kernel_size{3, 5}, strides<2, 1>, same_padding, relu>");

static_assert(describe(Conv2D<32, 3, groups<2>, dilation_rate<2>, use_bias<false>>::description)
                  .view() == "Conv2D<32, 3, dilation_rate<2>, groups<2>, use_bias<false>>");

// An activation whose gradient needs its input is a node of its own.
static_assert(Conv2D<8, 3, gelu>::description.followed_by->rule == &activation_family);
static_assert(Conv2D<8, 3, relu>::description.followed_by == nullptr);

TEST_CASE("Conv2D has Keras's shapes and parameters") {
  CHECK(test_shapes());
  CHECK(test_parameters());
  CHECK(test_storage());
  CHECK(test_placing());
}

TEST_CASE("Conv2D refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
