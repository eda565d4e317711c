// SPDX-License-Identifier: MIT
// A shared layer is called in another stage than first.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    auto twice = build.shared<Dense<8>>("twice");
    const symbolic_tensor first = twice(point);
#ifdef WITH_MISTAKE
    build.stage(1);
    const symbolic_tensor second = twice(first);
#else
    const symbolic_tensor second = twice(first);
    build.stage(1);
#endif
    return build.layer<Dense<3>>("logits", second);
  }
};

static_assert(check<net>());
