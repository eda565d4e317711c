// SPDX-License-Identifier: MIT
// An option where the layer is called, as in Keras.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace {

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({4, 16});
#ifdef WITH_MISTAKE
    return build.layer<MultiHeadAttention<2, 8>>("", x, x, use_causal_mask<true>{});
#else
    return build.layer<MultiHeadAttention<2, 8, use_causal_mask<true>>>("", x, x);
#endif
  }
};

static_assert(check<net>());

}  // namespace
