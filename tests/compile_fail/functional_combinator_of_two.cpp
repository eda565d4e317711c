// SPDX-License-Identifier: MIT
// A residual that is called on two tensors.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
#ifdef WITH_MISTAKE
    const symbolic_tensor other = build.layer<Dense<8>>("other", point);
    return build.layer<residual<Dense<8>>>("block", point, other);
#else
    return build.layer<residual<Dense<8>>>("block", point);
#endif
  }
};

static_assert(check<net>());
