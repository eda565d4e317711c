// SPDX-License-Identifier: MIT
// Models whose recurrent layers hand over what they keep, or begin with what others kept.
#pragma once

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace ipu_dsl::tests {

struct with_states {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const auto [last, state, cell] =
        build.layers<LSTM<2, return_state<true>, go_backwards<true>>, 3>("", x);
    return build.layer<Dense<3>>("", build.layer<Concatenate>("", last, state, cell));
  }
};

/// Nobody reads the states of all steps.
struct with_last_state {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const auto [all, state] =
        build.layers<GRU<2, return_state<true>, return_sequences<true>>, 2>("", x);
    return build.layer<Dense<3>>("", state);
  }
};

/// The second LSTM begins where the first has ended, and all its states are read.
struct lstm_goes_on {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const auto [last, state, cell] = build.layers<LSTM<2, return_state<true>>, 3>("", x);
    const symbolic_tensor all = build.layer<LSTM<2, return_sequences<true>>>("", x, state, cell);
    return build.layer<Dense<3>>("", build.layer<Flatten>("", all));
  }
};

/// Both ways of the second begin where the first has ended.
struct both_ways_go_on {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const auto [last, state, cell] = build.layers<LSTM<2, return_state<true>>, 3>("", x);
    const symbolic_tensor all = build.layer<Bidirectional<LSTM<2, return_sequences<true>>>>(
        "", x, state, cell, state, cell);
    return build.layer<Dense<3>>("", build.layer<Flatten>("", all));
  }
};

/// What both ways keep at their ends.
struct both_ways_hand_over {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const auto [both, state, cell, back_state, back_cell] =
        build.layers<Bidirectional<LSTM<2, return_state<true>>>, 5>("", x);
    return build.layer<Dense<3>>(
        "", build.layer<Concatenate>("", both, state, cell, back_state, back_cell));
  }
};

/// The same of two layers.
struct two_layers_hand_over {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const auto [last, state, cell] = build.layers<LSTM<2, return_state<true>>, 3>("", x);
    const auto [first, back_state, back_cell] =
        build.layers<LSTM<2, return_state<true>, go_backwards<true>>, 3>("", x);
    return build.layer<Dense<3>>(
        "", build.layer<Concatenate>("", last, first, state, cell, back_state, back_cell));
  }
};

/// All begin where the first has ended, some from the last step.
struct others_go_on {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const auto [first, state] = build.layers<SimpleRNN<2, return_state<true>>, 2>("", x);
    const symbolic_tensor back = build.layer<GRU<2, go_backwards<true>>>("", x, state);
    const symbolic_tensor forth = build.layer<GRU<2, reset_after<false>>>("", x, state);
    const symbolic_tensor all =
        build.layer<SimpleRNN<2, return_sequences<true>, go_backwards<true>>>("", x, state);
    const symbolic_tensor flat = build.layer<Flatten>("", all);
    return build.layer<Dense<3>>("", build.layer<Concatenate>("", back, forth, flat));
  }
};

}  // namespace ipu_dsl::tests
