// SPDX-License-Identifier: MIT
// Steps pushed through a layer that begins with the last state of another.
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({6, 3});
    const auto [all, state] =
        build.layers<GRU<3, return_sequences<true>, return_state<true>>, 2>("", x);
#ifdef WITH_MISTAKE
    return build.layer<GRU<3>>("", all, state);
#else
    return build.layer<Add>("", build.layer<GRU<3>>("", all), state);
#endif
  }
};

static_assert(check<one_step<net>>());
