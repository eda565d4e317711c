// SPDX-License-Identifier: MIT
// A layer that has a name and is called by another.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({12});
#ifdef WITH_MISTAKE
    return build.layer<named<"query", Dense<8>>>("dense", point);
#else
    return build.layer<named<"query", Dense<8>>>("", point);
#endif
  }
};

static_assert(check<net>());
