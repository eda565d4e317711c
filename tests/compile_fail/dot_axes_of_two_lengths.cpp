// SPDX-License-Identifier: MIT
// Products of rows of different lengths: the second matrix is multiplied along the wrong axis.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor a = build.input("a", {3, 5});
    const symbolic_tensor b = build.input("b", {5, 4});
#ifdef WITH_MISTAKE
    return build.layer<Dot<2>>("products", a, b);
#else
    return build.layer<Dot<2, 1>>("products", a, b);
#endif
  }
};

static_assert(check<net>());
