// SPDX-License-Identifier: MIT
// Several numbers as one value of a run.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct scaled {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor logits = build.layer<Dense<3>>("logits", build.input({4}));
#ifdef WITH_MISTAKE
    const symbolic_tensor factor = build.value("factor", {1.0F, 2.0F, 0.5F});
#else
    const symbolic_tensor factor = build.value("factor", 1.0F);
#endif
    return build.layer<ScaleByValue>("scaled", logits, factor);
  }
};

static_assert(check<scaled>());
