// SPDX-License-Identifier: MIT
// A vector beside a sequence, of a model of two inputs at every step.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct match {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Dot<1>>("", build.input({4}), build.input({4}));
  }
};

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor seen = build.input({5, 4});
    const symbolic_tensor asked = build.input({4});
#ifdef WITH_MISTAKE
    return build.layer<TimeDistributed<match>>("match", seen, asked);
#else
    const symbolic_tensor each = build.layer<RepeatVector<5>>("", asked);
    return build.layer<TimeDistributed<match>>("match", seen, each);
#endif
  }
};

static_assert(check<net>());
