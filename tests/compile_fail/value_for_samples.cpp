// SPDX-License-Identifier: MIT
// A value of the run for a layer that reads samples.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct sharpened {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor logits = build.layer<Dense<10>>("logits", build.input({4}));
    const symbolic_tensor sharpness = build.value("sharpness", 1.0F);
#ifdef WITH_MISTAKE
    return build.layer<Add>("", logits, sharpness);
#else
    return build.layer<ScaleByValue>("", logits, sharpness);
#endif
  }
};

static_assert(check<sharpened>());
