// SPDX-License-Identifier: MIT
// A tensor times a number, by an operator of C++.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
#ifdef WITH_MISTAKE
    return build.layer<Dense<4>>("head", 0.5F * point);
#else
    return build.layer<Dense<4>>("head", build.layer<Rescaling<0.5F>>("", point));
#endif
  }
};

static_assert(check<net>());
