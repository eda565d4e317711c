// SPDX-License-Identifier: MIT
// A layer is given a stage before that of what it reads.
#include <span>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/model/restaged.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, sequential<named<"first", Dense<8>>, named<"second", Dense<4>>>> {};

struct in_two : restaged<net> {
  static constexpr void assign(std::span<layer_stage> layers) {
    for (layer_stage& each : layers) {
#ifdef WITH_MISTAKE
      each.stage = each.name == "first" ? 1 : 0;
#else
      each.stage = each.name == "first" ? 0 : 1;
#endif
    }
  }
};

static_assert(check<in_two>());
