// SPDX-License-Identifier: MIT
// A layer that takes more steps than a compiler does: nobody but the check says so.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
constexpr long times = 100'000'000;
#else
constexpr long times = 10;
#endif

constexpr problem count_long(node_draft& draft) {
  const long most = times * draft.input(0)[0];
  long counted = 0;
  while (counted < most) {
    ++counted;
  }
  draft.view(0, draft.input(0));
  return {};
}

inline constexpr family long_family{.name = "Long", .shapes = count_long};

struct Long {
  static constexpr element description{.kind = element_kind::layer, .rule = &long_family};
};

struct net {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    return build.layer<Long>("long", build.layer<Dense<3>>("logits", point));
  }
};

static_assert(check<net>());
