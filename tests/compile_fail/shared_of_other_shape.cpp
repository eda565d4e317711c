// SPDX-License-Identifier: MIT
// A shared layer is called on what has another shape than first.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
#ifdef WITH_MISTAKE
    auto twice = build.shared<Dense<4>>("twice");
#else
    auto twice = build.shared<Dense<8>>("twice");
#endif
    return twice(twice(point));
  }
};

static_assert(check<net>());
