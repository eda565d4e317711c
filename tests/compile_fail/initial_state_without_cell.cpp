// SPDX-License-Identifier: MIT
// An LSTM that is given a state to begin with and no cell.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({6, 2});
    const auto [last, state, cell] = build.layers<LSTM<4, return_state<true>>, 3>("reader", x);
#ifdef WITH_MISTAKE
    return build.layer<LSTM<4>>("writer", x, state);
#else
    return build.layer<LSTM<4>>("writer", x, state, cell);
#endif
  }
};

static_assert(check<net>());
