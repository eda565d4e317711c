// SPDX-License-Identifier: MIT
// A model with stages of its own as a layer of another.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct encoder : model<input<8>, pipeline<stage<Dense<4, relu>>, stage<Dense<2>>>> {};
#else
struct encoder : model<input<8>, sequential<Dense<4, relu>, Dense<2>>> {};
#endif

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor code = build.layer<encoder>("encoder", build.input({8}));
    return build.layer<Dense<10>>("logits", code);
  }
};

static_assert(check<net>());
