// SPDX-License-Identifier: MIT
// A layer that the model has not is given a stage.
#include <span>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/model/restaged.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, sequential<named<"first", Dense<8>>, named<"second", Dense<4>>>> {};

struct in_two : restaged<net> {
  static constexpr void assign(std::span<layer_stage> layers) {
#ifdef WITH_MISTAKE
    layers[2].stage = 1;
#else
    layers[1].stage = 1;
#endif
  }
};

static_assert(check<in_two>());
