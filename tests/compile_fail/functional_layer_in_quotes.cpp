// SPDX-License-Identifier: MIT
// A layer by its name.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({4});
#ifdef WITH_MISTAKE
    return build.layer<"Dense">("scores", x);
#else
    return build.layer<Dense<4>>("scores", x);
#endif
  }
};

static_assert(check<net>());
