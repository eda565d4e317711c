// SPDX-License-Identifier: MIT
// The layers of a functional model, which has calls.
#include <ipu_dsl/hana/layers.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct calls {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Dense<10>>("logits", build.input({4}));
  }
};

struct listed : model<input<4>, sequential<Dense<10>>> {};

#ifdef WITH_MISTAKE
using made_again = decltype(model_of<input<4>>(layers_of<calls>))::type;
#else
using made_again = decltype(model_of<input<4>>(layers_of<listed>))::type;
#endif

constexpr auto found = graph_of<made_again>.layers.size();
