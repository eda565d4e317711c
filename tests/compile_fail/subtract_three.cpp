// SPDX-License-Identifier: MIT
// Subtract of three tensors.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    const symbolic_tensor a = build.layer<Dense<8>>("a", x);
#ifdef WITH_MISTAKE
    return build.layer<Subtract>("less", x, a, a);
#else
    return build.layer<Subtract>("less", x, a);
#endif
  }
};

static_assert(check<net>());
