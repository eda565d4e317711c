// SPDX-License-Identifier: MIT
// A tensor of another builder.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({4});
#ifdef WITH_MISTAKE
    functional_builder other;
    const symbolic_tensor read = other.input({4});
    static_cast<void>(image);
#else
    const symbolic_tensor read = image;
#endif
    return build.layer<Dense<2>>("scores", read);
  }
};

static_assert(check<net>());
