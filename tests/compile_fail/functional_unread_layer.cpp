// SPDX-License-Identifier: MIT
// A layer whose output nobody reads.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
#ifdef WITH_MISTAKE
    build.layer<Dense<4>>("forgotten", point);
#endif
    return build.layer<Dense<3>>("logits", point);
  }
};

static_assert(check<net>());
