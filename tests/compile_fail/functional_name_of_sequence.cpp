// SPDX-License-Identifier: MIT
// A name for several layers.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
#ifdef WITH_MISTAKE
    return build.layer<sequential<Dense<8, relu>, Dense<4>>>("head", point);
#else
    return build.layer<sequential<Dense<8, relu>, named<"head", Dense<4>>>>("", point);
#endif
  }
};

static_assert(check<net>());
