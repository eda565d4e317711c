// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/simple_rnn.hpp: shapes, parameters in Keras's order, refusals.
#include <ipu_dsl/vocabulary/layers/simple_rnn.hpp>

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
  done.that(apply<SimpleRNN<32>>({{28, 16}}).gives({32}));
  done.that(apply<SimpleRNN<10, return_sequences<true>>>({{28, 16}}).gives({28, 10}));
  done.that(apply<SimpleRNN<10, return_sequences<true>>>({{28, 16}}).output().lies ==
            storage::positions);
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<SimpleRNN<32>>({{28, 16}});
  checks done;
  done.that(made.only().parameters == 3);
  done.that(same_start(made.parameter(0).start, glorot_uniform::start));
  done.that(same_start(made.parameter(1).start, orthogonal::start));
  done.that(same_start(made.parameter(2).start, zeros::start));
  done.that(made.parameter(0).name == "kernel");
  done.that(made.parameter(0).extents == shape{16, 32});
  done.that(made.parameter(1).name == "recurrent_kernel");
  done.that(made.parameter(1).extents == shape{32, 32});
  done.that(made.parameter(2).name == "bias");
  done.that(made.parameter(2).extents == shape{32});
  done.that(apply<SimpleRNN<32, use_bias<false>>>({{28, 16}}).only().parameters == 2);
  return done;
}

constexpr checks test_starts() {
  const auto made =
      apply<SimpleRNN<2, init<ones>, recurrent_init<zeros>, bias_init<ones>>>({{4, 3}});
  checks done;
  done.that(same_start(made.parameter(0).start, ones::start));
  done.that(same_start(made.parameter(1).start, zeros::start));
  done.that(same_start(made.parameter(2).start, ones::start));
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(apply<SimpleRNN<8>>({{784}}).refused("a sequence (steps, features)", "(784)"));
  done.that(apply<SimpleRNN<0>>({{28, 28}}).refused("at least 1 unit", "0"));
  done.that(apply<SimpleRNN<8, gelu>>({{28, 16}})
                .refused("an activation whose gradient follows from its output", "gelu"));
  done.that(apply<SimpleRNN<8, alpha<0.1F>>>({{28, 16}})
                .refused("leaky_relu or elu beside alpha<...>", "hyperbolic_tangent"));
  done.that(apply<SimpleRNN<8, relu, relu>>({{28, 16}}).found.found());
  return done;
}

static_assert(test_shapes());
static_assert(test_parameters());
static_assert(test_starts());
static_assert(test_refusals());
static_assert(describe(SimpleRNN<10>::description).view() == "SimpleRNN<10>");
static_assert(describe(SimpleRNN<10, relu, return_sequences<true>>::description).view() ==
              "SimpleRNN<10, relu, return_sequences<true>>");

TEST_CASE("SimpleRNN has Keras's shapes, parameters and options") {
  CHECK(test_shapes());
  CHECK(test_parameters());
  CHECK(test_starts());
}

TEST_CASE("SimpleRNN refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
