// SPDX-License-Identifier: MIT
// Concatenation along an axis that there is not.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({4, 8});
#ifdef WITH_MISTAKE
    return build.layer<ConcatenateOn<3>>("both", x, x);
#else
    return build.layer<ConcatenateOn<2>>("both", x, x);
#endif
  }
};

static_assert(check<net>());
