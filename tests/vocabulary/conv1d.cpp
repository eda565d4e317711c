// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/conv1d.hpp: shapes as Keras has them, options, refusals.
#include <ipu_dsl/vocabulary/layers/conv1d.hpp>

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
  done.that(apply<Conv1D<32, 3>>({{28, 4}}).gives({26, 32}));
  done.that(apply<Conv1D<32, 3, same_padding>>({{28, 4}}).gives({28, 32}));
  done.that(apply<Conv1D<8, 3, strides<2>, same_padding>>({{27, 1}}).gives({14, 8}));
  done.that(apply<Conv1D<8, 3, strides<3>>>({{28, 1}}).gives({9, 8}));
  done.that(apply<Conv1D<8, 3, causal_padding>>({{28, 4}}).gives({28, 8}));
  done.that(apply<Conv1D<8, 9, causal_padding>>({{2, 4}}).gives({2, 8}));
  done.that(apply<Conv1D<8, 3, causal_padding, strides<2>>>({{27, 4}}).gives({14, 8}));
  done.that(apply<Conv1D<8, 3, causal_padding, dilation_rate<8>>>({{27, 4}}).gives({27, 8}));
  done.that(apply<Conv1D<8, 3, dilation_rate<4>>>({{28, 4}}).gives({20, 8}));
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<Conv1D<32, 5>>({{28, 4}});
  const tensor& kernel = made.parameter(0);
  const tensor& bias = made.parameter(1);
  checks done;
  done.that(kernel.name == "kernel");
  done.that(kernel.extents == shape{5, 4, 32});
  done.that(kernel.lies == storage::panels);
  done.that(bias.name == "bias");
  done.that(bias.extents == shape{32});
  done.that(same_start(kernel.start, glorot_uniform::start));
  done.that(apply<Conv1D<32, 3, use_bias<false>>>({{28, 4}}).only().parameters == 1);
  return done;
}

constexpr checks test_refusals() {
  const shape sequence{28, 4};
  checks done;
  done.that(apply<Conv1D<8, 3>>({{28}}).refused("a sequence (steps, channels)", "(28)"));
  done.that(apply<Conv1D<8, 3>>({{9, 9, 1}}).refused("a sequence (steps, channels)", "(9, 9, 1)"));
  done.that(apply<Conv1D<0, 3>>({sequence}).refused("at least 1 filter", "0"));
  done.that(apply<Conv1D<8, 0>>({sequence}).refused("a kernel of at least 1 step", "0"));
  done.that(apply<Conv1D<8, 3, strides<0>>>({sequence}).refused("strides of at least 1", "0"));
  done.that(apply<Conv1D<8, 3, dilation_rate<0>>>({sequence})
                .refused("a dilation_rate of at least 1", "0"));
  done.that(
      apply<Conv1D<8, 3, dilation_rate<3>, strides<2>>>({sequence})
          .refused("strides of 1 beside a dilation_rate", "strides of 2 and a dilation_rate of 3"));
  done.that(
      apply<Conv1D<8, 29>>({sequence}).refused("a kernel within the sequence", "29 on (28, 4)"));
  done.that(apply<Conv1D<8, 3, dilation_rate<14>>>({sequence})
                .refused("a kernel within the sequence", "3 dilated to 29 on (28, 4)"));
  done.that(apply<Conv1D<8, 3, strides<1, 2>>>({sequence})
                .refused("one number in strides<...>", "rows and columns"));
  // Not two equal ones either.
  done.that(apply<Conv1D<8, 3, strides<2, 2>>>({sequence})
                .refused("one number in strides<...>", "rows and columns"));
  done.that(apply<Conv1D<8, 3, dilation_rate<2, 2>>>({sequence})
                .refused("one number in dilation_rate<...>", "rows and columns"));
  return done;
}

static_assert(test_shapes());
static_assert(test_parameters());
static_assert(test_refusals());
static_assert(describe(Conv1D<8, 3>::description).view() == "Conv1D<8, 3>");
static_assert(describe(Conv1D<8, 3, strides<2>, causal_padding, relu>::description).view() ==
              "Conv1D<8, 3, strides<2>, causal_padding, relu>");

TEST_CASE("Conv1D has Keras's shapes and parameters") {
  CHECK(test_shapes());
  CHECK(test_parameters());
}

TEST_CASE("Conv1D refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
