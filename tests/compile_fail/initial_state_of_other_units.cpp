// SPDX-License-Identifier: MIT
// A recurrent layer that begins with the state of one that has other units.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({6, 2});
#ifdef WITH_MISTAKE
    const auto [last, state] = build.layers<GRU<8, return_state<true>>, 2>("reader", x);
#else
    const auto [last, state] = build.layers<GRU<4, return_state<true>>, 2>("reader", x);
#endif
    return build.layer<GRU<4>>("writer", x, state);
  }
};

static_assert(check<net>());
