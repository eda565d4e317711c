// SPDX-License-Identifier: MIT
// A stage below 0.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
#ifdef WITH_MISTAKE
    build.stage(-1);
#else
    build.stage(0);
#endif
    return build.layer<Dense<3>>("logits", point);
  }
};

static_assert(check<net>());
