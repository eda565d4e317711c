// SPDX-License-Identifier: MIT
// Several layers that are to be shared.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
#ifdef WITH_MISTAKE
    auto shared = build.shared<residual<Dense<8>>>("block");
    return shared(shared(point));
#else
    auto shared = build.shared<Dense<8>>("block");
    return shared(shared(point));
#endif
  }
};

static_assert(check<net>());
