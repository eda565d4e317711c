// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/lstm.hpp: shapes, parameters in Keras's order, options, refusals.
#include <ipu_dsl/vocabulary/layers/lstm.hpp>

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
  done.that(apply<LSTM<32>>({{28, 16}}).gives({32}));
  done.that(apply<LSTM<10, return_sequences<true>>>({{28, 16}}).gives({28, 10}));
  done.that(
      apply<LSTM<10, return_sequences<true>, go_backwards<true>>>({{28, 16}}).gives({28, 10}));
  done.that(apply<LSTM<10, return_sequences<true>>>({{28, 16}}).output().lies ==
            storage::positions);
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<LSTM<32>>({{28, 16}});
  checks done;
  done.that(made.only().parameters == 3);
  done.that(same_start(made.parameter(0).start, glorot_uniform::start));
  done.that(same_start(made.parameter(1).start, orthogonal::start));
  done.that(same_start(made.parameter(2).start, zeros::start));
  done.that(made.parameter(0).name == "kernel");
  done.that(made.parameter(0).extents == shape{16, 128});
  done.that(made.parameter(1).name == "recurrent_kernel");
  done.that(made.parameter(1).extents == shape{32, 128});
  done.that(made.parameter(2).name == "bias");
  done.that(made.parameter(2).extents == shape{128});
  done.that(apply<LSTM<32, use_bias<false>>>({{28, 16}}).only().parameters == 2);
  return done;
}

/// Whatever the bias starts with, that of the forget gate starts with ones.
constexpr checks test_forget_bias() {
  checks done;
  done.that(apply<LSTM<2>>({{4, 3}}).parameter(2).start.ones_in_second_quarter);
  done.that(
      !apply<LSTM<2, unit_forget_bias<false>>>({{4, 3}}).parameter(2).start.ones_in_second_quarter);
  const auto made = apply<LSTM<2, bias_init<constant<0.5>>>>({{4, 3}});
  done.that(same_start(made.parameter(2).start, constant<0.5>::start));
  done.that(made.parameter(2).start.ones_in_second_quarter);
  done.that(!made.parameter(0).start.ones_in_second_quarter);
  done.that(!made.parameter(1).start.ones_in_second_quarter);
  return done;
}

/// Beside the states the last one and the last cell.
constexpr checks test_kept_outputs() {
  const auto made = apply<LSTM<5, return_sequences<true>, return_state<true>>>({{28, 16}});
  const graph_view view = made.made.view();
  checks done;
  done.that(made.only().outputs == 3);
  done.that(view.at(view.output_of(made.only(), 0)).extents == shape{28, 5});
  done.that(view.at(view.output_of(made.only(), 1)).extents == shape{5});
  done.that(view.at(view.output_of(made.only(), 2)).extents == shape{5});
  done.that(apply<LSTM<5>>({{28, 16}}).only().outputs == 1);
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(apply<LSTM<8>>({{784}}).refused("a sequence (steps, features)", "(784)"));
  done.that(apply<LSTM<0>>({{28, 28}}).refused("at least 1 unit", "0"));
  done.that(apply<LSTM<8, gelu>>({{28, 16}})
                .refused("an activation whose gradient follows from its output", "gelu"));
  done.that(apply<LSTM<8, recurrent_activation<softmax>>>({{28, 16}})
                .refused("an activation whose gradient follows from its output", "softmax"));
  done.that(apply<LSTM<8, recurrent_activation<zeros>>>({{28, 16}}).found.found());
  done.that(apply<LSTM<8, alpha<0.1F>>>({{28, 16}})
                .refused("leaky_relu or elu beside alpha<...>", "hyperbolic_tangent"));
  done.that(apply<LSTM<8, use_bias<false>, unit_forget_bias<true>>>({{28, 16}})
                .refused("a bias beside unit_forget_bias<...>", "use_bias<false>"));
  return done;
}

static_assert(test_shapes());
static_assert(test_parameters());
static_assert(test_forget_bias());
static_assert(test_kept_outputs());
static_assert(test_refusals());
static_assert(describe(LSTM<10>::description).view() == "LSTM<10>");
static_assert(describe(LSTM<10, relu, recurrent_activation<elu>, return_sequences<true>,
                            go_backwards<true>>::description)
                  .view() ==
              "LSTM<10, relu, recurrent_activation<elu>, return_sequences<true>, "
              "go_backwards<true>>");
static_assert(describe(LSTM<10, recurrent_activation<hyperbolic_tangent>>::description).view() ==
              "LSTM<10, recurrent_activation<hyperbolic_tangent>>");

TEST_CASE("LSTM has Keras's shapes, parameters and options") {
  CHECK(test_shapes());
  CHECK(test_parameters());
  CHECK(test_forget_bias());
  CHECK(test_kept_outputs());
}

TEST_CASE("LSTM refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
