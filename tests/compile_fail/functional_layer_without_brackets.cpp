// SPDX-License-Identifier: MIT
// The name of a layer without its brackets.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor steps = build.input({12, 4});
#ifdef WITH_MISTAKE
    return build.layer<GRU>("reader", steps);
#else
    return build.layer<GRU<8>>("reader", steps);
#endif
  }
};

static_assert(check<net>());
