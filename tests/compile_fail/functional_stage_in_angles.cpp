// SPDX-License-Identifier: MIT
// The stage is given as a template argument.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    const symbolic_tensor hidden = build.layer<Dense<4>>("hidden", point);
#ifdef WITH_MISTAKE
    build.stage<1>();
#else
    build.stage(1);
#endif
    return build.layer<Dense<3>>("logits", hidden);
  }
};

static_assert(check<net>());
