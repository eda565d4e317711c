// SPDX-License-Identifier: MIT
// Tensors of different shapes merged.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    const symbolic_tensor a = build.layer<Dense<6>>("a", x);
#ifdef WITH_MISTAKE
    const symbolic_tensor b = build.layer<Dense<5>>("b", x);
#else
    const symbolic_tensor b = build.layer<Dense<6>>("b", x);
#endif
    return build.layer<Multiply>("gated", a, b);
  }
};

static_assert(check<net>());
