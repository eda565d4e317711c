// SPDX-License-Identifier: MIT
// A layer is called on a tensor that no call made.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
#ifdef WITH_MISTAKE
    const symbolic_tensor hidden;
#else
    const symbolic_tensor hidden = build.layer<Dense<4>>("hidden", point);
#endif
    return build.layer<Concatenate>("joined", hidden, point);
  }
};

static_assert(check<net>());
