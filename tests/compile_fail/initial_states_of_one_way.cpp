// SPDX-License-Identifier: MIT
// A Bidirectional with a state and a cell, and a state for the way back alone.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({12, 4});
    const symbolic_tensor h = build.input({6});
    const symbolic_tensor c = build.input({6});
#ifdef WITH_MISTAKE
    return build.layer<Bidirectional<LSTM<6>>>("both", x, h, c, h);
#else
    return build.layer<Bidirectional<LSTM<6>>>("both", x, h, c, h, c);
#endif
  }
};

static_assert(check<net>());
