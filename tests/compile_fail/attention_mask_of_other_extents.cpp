// SPDX-License-Identifier: MIT
// An attention mask of (keys, queries) in place of (queries, keys).
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor query = build.input({4, 6});
    const symbolic_tensor value = build.input({3, 6});
#ifdef WITH_MISTAKE
    const symbolic_tensor mask = build.input({3, 4});
#else
    const symbolic_tensor mask = build.input({4, 3});
#endif
    return build.layer<MultiHeadAttention<2, 3, use_attention_mask<true>>>("", query, value, mask);
  }
};

static_assert(check<net>());
