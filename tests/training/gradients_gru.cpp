// SPDX-License-Identifier: MIT
// Gradients of GRU through time, against central differences of a float64 forward.
#include "training/recurrent_reference.hpp"
#include "training/state_models.hpp"

namespace {

using namespace ipu_dsl;
using tests::check_recurrent;
using tests::recurrent_kind;
using tests::recurrent_step_of;

TEST_CASE("gradients of GRUs that reset after the product and before it") {
  check_recurrent<recurrent_step_of<
      model<input<5, 3>, sequential<GRU<3, return_sequences<true>, go_backwards<true>>,
                                    GRU<2, reset_after<false>>, Dense<3>>>>>(
      "GRU", {{{recurrent_kind::gru, 3, 3, true, tests::tanh_of, true, true},
               {recurrent_kind::gru_reset_first, 3, 2, true, tests::tanh_of, false, false}},
              0.4F});
}

TEST_CASE("gradients of a GRU of which the last state alone is read") {
  check_recurrent<recurrent_step_of<tests::with_last_state>>(
      "GRU with its state", {{{recurrent_kind::gru, 3, 2, true, tests::tanh_of}}, 0.5F});
}

}  // namespace
