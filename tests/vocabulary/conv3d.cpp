// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/conv3d.hpp: shapes as Keras has them, options, refusals.
#include <ipu_dsl/vocabulary/layers/conv3d.hpp>

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
  done.that(apply<Conv3D<8, 3>>({{9, 8, 7, 2}}).gives({7, 6, 5, 8}));
  done.that(apply<Conv3D<8, 3, same_padding, strides<2>>>({{9, 8, 7, 2}}).gives({5, 4, 4, 8}));
  done.that(apply<Conv3D<8, kernel_volume{1, 3, 2}, strides<3, 1, 2>>>({{9, 8, 7, 2}})
                .gives({3, 6, 3, 8}));
  done.that(apply<Conv3D<8, 3, dilation_rate<1, 2, 3>>>({{9, 8, 7, 2}}).gives({7, 4, 1, 8}));
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<Conv3D<8, kernel_volume{1, 3, 2}>>({{9, 8, 7, 4}});
  checks done;
  done.that(made.parameter(0).name == "kernel");
  done.that(made.parameter(0).extents == shape{1, 3, 2, 4, 8});
  done.that(made.parameter(0).lies == storage::panels);
  done.that(same_start(made.parameter(0).start, glorot_uniform::start));
  done.that(made.parameter(1).name == "bias");
  done.that(made.parameter(1).extents == shape{8});
  done.that(apply<Conv3D<8, 3, use_bias<false>>>({{9, 8, 7, 4}}).only().parameters == 1);
  return done;
}

constexpr checks test_refusals() {
  const shape volume{9, 8, 7, 2};
  checks done;
  done.that(apply<Conv3D<8, 3>>({{9, 8, 7}})
                .refused("a volume (planes, rows, columns, channels)", "(9, 8, 7)"));
  done.that(apply<Conv3D<0, 3>>({volume}).refused("at least 1 filter", "0"));
  done.that(apply<Conv3D<8, kernel_volume{0, 1, 1}>>({volume}).refused(
      "a kernel of at least 1 plane, 1 row and 1 column", "0, 1, 1"));
  done.that(apply<Conv3D<8, 8>>({volume}).refused("a kernel within the volume",
                                                  "8 x 8 x 8 on (9, 8, 7, 2)"));
  done.that(apply<Conv3D<8, 2, dilation_rate<1, 1, 7>>>({volume}).refused(
      "a kernel within the volume", "2 x 2 x 2 dilated to 2 x 2 x 8 on (9, 8, 7, 2)"));
  done.that(apply<Conv3D<8, 3, strides<2>, dilation_rate<1, 1, 2>>>({volume}).refused(
      "strides of 1 beside a dilation_rate", "strides of 2, 2, 2 and a dilation_rate of 1, 1, 2"));
  done.that(apply<Conv3D<8, 3, strides<2, 2>>>({volume}).refused(
      "one or three numbers in strides<...> and dilation_rate<...>", "two"));
  done.that(apply<Conv3D<8, 3, strides<2, 1>>>({volume}).refused(
      "one or three numbers in strides<...> and dilation_rate<...>", "two"));
  done.that(apply<Conv3D<8, 3, causal_padding>>({volume}).refused("valid_padding or same_padding",
                                                                  "causal_padding"));
  done.that(apply<Conv2D<8, 3, strides<2, 1, 1>>>({{9, 8, 7}})
                .refused("one or two numbers in strides<...> and dilation_rate<...>", "three"));
  return done;
}

static_assert(test_shapes());
static_assert(test_parameters());
static_assert(test_refusals());
static_assert(describe(Conv3D<8, 3, strides<2>, same_padding, relu>::description).view() ==
              "Conv3D<8, 3, strides<2>, same_padding, relu>");
static_assert(describe(Conv3D<8, kernel_volume{1, 3, 2}, dilation_rate<1, 2, 3>>::description)
                  .view() == "Conv3D<8, kernel_volume{1, 3, 2}, dilation_rate<1, 2, 3>>");

TEST_CASE("Conv3D has Keras's shapes and parameters") {
  CHECK(test_shapes());
  CHECK(test_parameters());
}

TEST_CASE("Conv3D refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
