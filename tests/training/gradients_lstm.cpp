// SPDX-License-Identifier: MIT
// Gradients of LSTM through time, against central differences of a float64 forward.
#include "training/recurrent_reference.hpp"
#include "training/state_models.hpp"

namespace {

using namespace ipu_dsl;
using tests::check_recurrent;
using tests::recurrent_kind;
using tests::recurrent_step_of;

TEST_CASE("gradients of LSTMs, of which one reads backwards, with a bias and without") {
  check_recurrent<recurrent_step_of<
      model<input<5, 3>, sequential<LSTM<3, return_sequences<true>, go_backwards<true>>,
                                    LSTM<2, use_bias<false>>, Dense<3>>>>>(
      "LSTM", {{{recurrent_kind::lstm, 3, 3, true, tests::tanh_of, true, true},
                {recurrent_kind::lstm, 3, 2, false, tests::tanh_of, false, false}},
               0.5F});
}

TEST_CASE("gradients of an LSTM whose state and cell are outputs") {
  check_recurrent<recurrent_step_of<tests::with_states>>(
      "LSTM with its state",
      {{{recurrent_kind::lstm, 3, 2, true, tests::tanh_of, false, true, false, true}}, 0.5F});
}

TEST_CASE("gradients of an LSTM that reads both ways") {
  check_recurrent<recurrent_step_of<model<
      input<5, 3>, sequential<Bidirectional<LSTM<2, return_sequences<true>>>, LSTM<2>, Dense<3>>>>>(
      "Bidirectional", {{{recurrent_kind::lstm, 3, 2, true, tests::tanh_of, true, false, true},
                         {recurrent_kind::lstm, 4, 2, true, tests::tanh_of, false, false}},
                        0.5F});
}

}  // namespace
