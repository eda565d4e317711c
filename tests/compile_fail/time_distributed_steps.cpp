// SPDX-License-Identifier: MIT
// A layer of two inputs at every step of sequences of which one has more of them.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
inline constexpr int steps = 6;
#else
inline constexpr int steps = 5;
#endif

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor seen = build.input({5, 4});
    const symbolic_tensor heard = build.input({steps, 4});
    const symbolic_tensor both = build.layer<TimeDistributed<Dot<1>>>("match", seen, heard);
    return build.layer<Flatten>("", both);
  }
};

static_assert(check<net>());
