// SPDX-License-Identifier: MIT
// Two tensors added by an operator of C++.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    const symbolic_tensor changed = build.layer<Dense<8, relu>>("changed", point);
#ifdef WITH_MISTAKE
    return build.layer<Dense<4>>("head", point + changed);
#else
    return build.layer<Dense<4>>("head", build.layer<Add>("", point, changed));
#endif
  }
};

static_assert(check<net>());
