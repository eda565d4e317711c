// SPDX-License-Identifier: MIT
// An input of a functional model without the braces of its shape.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
#ifdef WITH_MISTAKE
    const auto features = build.input("features", 4);
#else
    const auto features = build.input("features", {4});
#endif
    return build.layer<Dense<3>>("", features);
  }
};

static_assert(check<net>());
