// SPDX-License-Identifier: MIT
// The name of an input behind its shape, where Keras has it.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
#ifdef WITH_MISTAKE
    const symbolic_tensor point = build.input({8}, "point");
#else
    const symbolic_tensor point = build.input("point", {8});
#endif
    return build.layer<Dense<4>>("head", point);
  }
};

static_assert(check<net>());
