// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/locally_connected1d.hpp: shapes as Keras has them, options, refusals.
#include <ipu_dsl/vocabulary/layers/locally_connected1d.hpp>

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
  done.that(apply<LocallyConnected1D<32, 3>>({{28, 4}}).gives({26, 32}));
  done.that(apply<LocallyConnected1D<8, 3, strides<3>>>({{28, 1}}).gives({9, 8}));
  done.that(apply<LocallyConnected1D<8, 3, strides<2>, valid_padding>>({{28, 1}}).gives({13, 8}));
  done.that(apply<LocallyConnected1D<1, 28>>({{28, 4}}).gives({1, 1}));
  done.that(apply<LocallyConnected1D<5, 1, strides<4>>>({{28, 4}}).gives({7, 5}));
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<LocallyConnected1D<32, 5, strides<2>>>({{28, 4}});
  const tensor& kernel = made.parameter(0);
  const tensor& bias = made.parameter(1);
  checks done;
  done.that(made.only().parameters == 2);
  done.that(kernel.name == "kernel");
  done.that(kernel.extents == shape{12, 5 * 4, 32});
  done.that(same_start(kernel.start, glorot_uniform::start));
  done.that(bias.name == "bias");
  done.that(bias.extents == shape{12, 32});
  done.that(same_start(bias.start, zeros::start));
  const auto chosen = apply<LocallyConnected1D<8, 3, use_bias<false>, init<he_uniform>>>({{9, 2}});
  done.that(chosen.only().parameters == 1);
  done.that(same_start(chosen.parameter(0).start, he_uniform::start));
  return done;
}

constexpr checks test_refusals() {
  const shape sequence{28, 4};
  checks done;
  done.that(
      apply<LocallyConnected1D<8, 3>>({{28}}).refused("a sequence (steps, channels)", "(28)"));
  done.that(apply<LocallyConnected1D<8, 3>>({{9, 9, 1}})
                .refused("a sequence (steps, channels)", "(9, 9, 1)"));
  done.that(apply<LocallyConnected1D<0, 3>>({sequence}).refused("at least 1 filter", "0"));
  done.that(
      apply<LocallyConnected1D<8, 0>>({sequence}).refused("a kernel of at least 1 step", "0"));
  done.that(apply<LocallyConnected1D<8, 3, strides<0>>>({sequence})
                .refused("strides of at least 1", "0"));
  done.that(apply<LocallyConnected1D<8, 29>>({sequence})
                .refused("a kernel within the sequence", "29 on (28, 4)"));
  done.that(apply<LocallyConnected1D<8, 3, same_padding>>({sequence})
                .refused("valid_padding", "same_padding"));
  done.that(apply<LocallyConnected1D<8, 3, causal_padding>>({sequence})
                .refused("valid_padding", "causal_padding"));
  done.that(apply<LocallyConnected1D<8, 3, strides<1, 2>>>({sequence})
                .refused("one number in strides<...>", "rows and columns"));
  done.that(apply<LocallyConnected1D<8, 3, dilation_rate<2>>>({sequence}).found.found());
  done.that(apply<LocallyConnected1D<8, 3, groups<2>>>({sequence}).found.found());
  done.that(
      apply<LocallyConnected1D<8, 3, use_bias<false>, bias_init<ones>>>({sequence}).found.found());
  return done;
}

static_assert(test_shapes());
static_assert(test_parameters());
static_assert(test_refusals());
static_assert(LocallyConnected1D<8, 3>::description.weights == nullptr);
static_assert(LocallyConnected1D<8, 3, kernel_regularizer<l2<0.5F>>>::description.weights
                  ->entries[0]
                  .rules.l2 == 0.5F);
static_assert(describe(LocallyConnected1D<8, 3, relu, strides<2>>::description).view() ==
              "LocallyConnected1D<8, 3, strides<2>, relu>");

TEST_CASE("LocallyConnected1D has Keras's shapes and parameters") {
  CHECK(test_shapes());
  CHECK(test_parameters());
}

TEST_CASE("LocallyConnected1D refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
