// SPDX-License-Identifier: MIT
// A model whose recurrent layer hands over what it keeps.
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

}  // namespace ipu_dsl::tests
