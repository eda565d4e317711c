// SPDX-License-Identifier: MIT
// A stage is begun, and no layer called in it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    const symbolic_tensor logits = build.layer<Dense<3>>("logits", point);
#ifdef WITH_MISTAKE
    build.stage(1);
#endif
    return logits;
  }
};

static_assert(check<net>());
