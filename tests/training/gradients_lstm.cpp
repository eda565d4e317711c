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

TEST_CASE("gradients of an LSTM that begins with the state and the cell of another") {
  check_recurrent<recurrent_step_of<tests::lstm_goes_on>>(
      "LSTM with an initial state",
      {{{recurrent_kind::lstm, 3, 2, true, tests::tanh_of},
        {recurrent_kind::lstm, 3, 2, true, tests::tanh_of, true, false, false, false, true}},
       0.15F});
}

TEST_CASE("gradients of layers that begin with the states of others, and their bits") {
  using training = recurrent_step_of<tests::others_go_on>;
  check_recurrent<training>(
      "layers with an initial state",
      {{{recurrent_kind::simple, 3, 2, true, tests::tanh_of},
        {recurrent_kind::gru, 3, 2, true, tests::tanh_of, false, true, false, false, true},
        {recurrent_kind::gru_reset_first, 3, 2, true, tests::tanh_of, false, false, false, false,
         true},
        {recurrent_kind::simple, 3, 2, true, tests::tanh_of, true, true, false, false, true}},
       0.2F});
  const std::vector<float> expected = tests::weights_after<training>(1);
  CHECK(tests::weights_after<training>(3) == expected);
  CHECK(expected.size() > 100);
}

TEST_CASE("gradients of an LSTM that reads both ways from where another has ended") {
  using training = recurrent_step_of<tests::both_ways_go_on>;
  check_recurrent<training>(
      "Bidirectional with initial states",
      {{{recurrent_kind::lstm, 3, 2, true, tests::tanh_of},
        {recurrent_kind::lstm, 3, 2, true, tests::tanh_of, true, false, true, false, true}},
       0.15F});
  const std::vector<float> expected = tests::weights_after<training>(1);
  CHECK(tests::weights_after<training>(3) == expected);
  CHECK(expected.size() > 100);
}

TEST_CASE("an LSTM that reads both ways hands over the states of two layers") {
  const std::vector<float> expected =
      tests::weights_after<recurrent_step_of<tests::two_layers_hand_over>>(1);
  CHECK(tests::weights_after<recurrent_step_of<tests::both_ways_hand_over>>(1) == expected);
  CHECK(tests::weights_after<recurrent_step_of<tests::both_ways_hand_over>>(3) == expected);
  CHECK(expected.size() > 100);
}

TEST_CASE("gradients of an LSTM that reads both ways") {
  check_recurrent<recurrent_step_of<model<
      input<5, 3>, sequential<Bidirectional<LSTM<2, return_sequences<true>>>, LSTM<2>, Dense<3>>>>>(
      "Bidirectional", {{{recurrent_kind::lstm, 3, 2, true, tests::tanh_of, true, false, true},
                         {recurrent_kind::lstm, 4, 2, true, tests::tanh_of, false, false}},
                        0.5F});
}

}  // namespace
