// SPDX-License-Identifier: MIT
// Steps pushed beside numbers of a whole sample.
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor last = build.layer<GRU<4>>("", build.input({6, 3}));
#ifdef WITH_MISTAKE
    return build.layer<Add>("", last, build.input({4}));
#else
    return build.layer<Add>("", last, build.layer<GRU<4>>("", build.input({6, 2})));
#endif
  }
};

static_assert(check<one_step<net>>());
