// SPDX-License-Identifier: MIT
// No layer is called in a stage between others.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    const symbolic_tensor hidden = build.layer<Dense<4>>("hidden", point);
#ifdef WITH_MISTAKE
    build.stage(2);
#else
    build.stage(1);
#endif
    return build.layer<Dense<3>>("logits", hidden);
  }
};

static_assert(check<net>());
