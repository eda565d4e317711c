// SPDX-License-Identifier: MIT
// A layer reads what a later stage makes.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    build.stage(1);
    const symbolic_tensor late = build.layer<Dense<4>>("late", point);
#ifdef WITH_MISTAKE
    build.stage(0);
    const symbolic_tensor early = build.layer<Dense<4>>("early", late);
    build.stage(1);
    return build.layer<Dense<3>>("logits", early);
#else
    build.stage(0);
    const symbolic_tensor early = build.layer<Dense<4>>("early", point);
    build.stage(1);
    return build.layer<Add>("sum", early, late);
#endif
  }
};

static_assert(check<net>());
