// SPDX-License-Identifier: MIT
// A name and a tensor, and no layer.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({4});
#ifdef WITH_MISTAKE
    return build.layer("scores", x);
#else
    return build.layer<Dense<4>>("scores", x);
#endif
  }
};

static_assert(check<net>());
