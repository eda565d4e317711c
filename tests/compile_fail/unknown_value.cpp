// SPDX-License-Identifier: MIT
// A value that the model does not read.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct sharpened {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor logits = build.layer<Dense<10>>("logits", build.input({4}));
    return build.layer<ScaleByValue>("", logits, build.value("sharpness", 1.0F));
  }
};

struct training : compile<sharpened, loss<sparse_categorical_crossentropy>> {};

void test(session<training>& run) {
#ifdef WITH_MISTAKE
  run.set<"temperature">(0.5F);
#else
  run.set<"sharpness">(0.5F);
#endif
}
