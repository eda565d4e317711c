// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/gru.hpp: shapes, parameters in Keras's order, options, refusals.
#include <ipu_dsl/vocabulary/layers/gru.hpp>

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
  done.that(apply<GRU<32>>({{28, 16}}).gives({32}));
  done.that(apply<GRU<10, return_sequences<true>>>({{28, 16}}).gives({28, 10}));
  done.that(apply<GRU<10, return_sequences<true>, go_backwards<true>>>({{28, 16}}).gives({28, 10}));
  done.that(apply<GRU<10, return_sequences<true>>>({{28, 16}}).output().lies == storage::positions);
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<GRU<32>>({{28, 16}});
  checks done;
  done.that(made.only().parameters == 4);
  done.that(same_start(made.parameter(0).start, glorot_uniform::start));
  done.that(same_start(made.parameter(1).start, orthogonal::start));
  done.that(same_start(made.parameter(2).start, zeros::start));
  done.that(made.parameter(0).name == "kernel");
  done.that(made.parameter(0).extents == shape{16, 96});
  done.that(made.parameter(1).name == "recurrent_kernel");
  done.that(made.parameter(1).extents == shape{32, 96});
  done.that(made.parameter(2).name == "bias");
  done.that(made.parameter(2).extents == shape{96});
  done.that(apply<GRU<32, use_bias<false>>>({{28, 16}}).only().parameters == 2);
  return done;
}

/// Keras's bias of (2, 3 units) is two; a reset before the product has one.
constexpr checks test_biases() {
  const auto made = apply<GRU<2, bias_init<ones>>>({{4, 3}});
  checks done;
  done.that(made.parameter(3).name == "recurrent_bias");
  done.that(made.parameter(3).extents == shape{6});
  done.that(same_start(made.parameter(3).start, ones::start));
  done.that(apply<GRU<2, reset_after<false>>>({{4, 3}}).only().parameters == 3);
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(apply<GRU<8>>({{784}}).refused("a sequence (steps, features)", "(784)"));
  done.that(apply<GRU<0>>({{28, 28}}).refused("at least 1 unit", "0"));
  done.that(apply<GRU<8, gelu>>({{28, 16}})
                .refused("an activation whose gradient follows from its output", "gelu"));
  done.that(apply<GRU<8, recurrent_activation<softmax>>>({{28, 16}})
                .refused("an activation whose gradient follows from its output", "softmax"));
  done.that(apply<GRU<8, recurrent_activation<zeros>>>({{28, 16}}).found.found());
  done.that(apply<GRU<8, alpha<0.1F>>>({{28, 16}})
                .refused("leaky_relu or elu beside alpha<...>", "hyperbolic_tangent"));
  done.that(apply<GRU<8, reset_after<1>>>({{28, 16}}).found.found());
  return done;
}

static_assert(test_shapes());
static_assert(test_parameters());
static_assert(test_biases());
static_assert(test_refusals());
static_assert(describe(GRU<10>::description).view() == "GRU<10>");
static_assert(describe(GRU<10, reset_after<false>, return_sequences<true>>::description).view() ==
              "GRU<10, reset_after<false>, return_sequences<true>>");

TEST_CASE("GRU has Keras's shapes, parameters and options") {
  CHECK(test_shapes());
  CHECK(test_parameters());
  CHECK(test_biases());
}

TEST_CASE("GRU refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
