// SPDX-License-Identifier: MIT
// A shared layer is never called.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
#ifdef WITH_MISTAKE
    build.shared<Dense<4>>("spare");
#endif
    return build.layer<Dense<3>>("logits", point);
  }
};

static_assert(check<net>());
