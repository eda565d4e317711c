// SPDX-License-Identifier: MIT
// What defining and checking the tutorial's model instantiates.
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

using namespace ipu_dsl;

struct mlp : model<input<28, 28>,
                   pipeline<stage<Flatten, Dense<256, relu>>,
                            stage<Dense<128, relu>, Dense<64, relu>, Dense<32, relu>, Dense<10>>>> {
};

static_assert(check<mlp>());
