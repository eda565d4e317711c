// SPDX-License-Identifier: MIT
// Gradients of SimpleRNN through time, against central differences of a float64 forward.
#include "training/recurrent_reference.hpp"

namespace {

using namespace ipu_dsl;
using tests::check_recurrent;
using tests::recurrent_kind;
using tests::recurrent_step_of;

TEST_CASE("gradients of a SimpleRNN without a bias, all of whose states are read") {
  check_recurrent<recurrent_step_of<
      model<input<5, 3>, sequential<SimpleRNN<4, relu, return_sequences<true>, use_bias<false>>,
                                    Flatten, Dense<3>>>>>(
      "SimpleRNN of sequences", {{{recurrent_kind::simple, 3, 4, false, tests::relu_of, true}}});
}

TEST_CASE("gradients of SimpleRNNs one behind the other, which read backwards") {
  check_recurrent<recurrent_step_of<
      model<input<5, 3>, sequential<SimpleRNN<3, return_sequences<true>, go_backwards<true>>,
                                    SimpleRNN<2, go_backwards<true>>, Dense<3>>>>>(
      "two SimpleRNNs", {{{recurrent_kind::simple, 3, 3, true, tests::tanh_of, true, true},
                          {recurrent_kind::simple, 3, 2, true, tests::tanh_of, false, true}}});
}

TEST_CASE("gradients of a SimpleRNN whose last state is read") {
  check_recurrent<recurrent_step_of<model<input<5, 3>, sequential<SimpleRNN<4>, Dense<3>>>>>(
      "SimpleRNN", {{{recurrent_kind::simple, 3, 4, true, tests::tanh_of}}});
}

}  // namespace
