// SPDX-License-Identifier: MIT
// Tests of model/layer_name.hpp.
#include <cstdio>
#include <set>
#include <string>

#include <ipu_dsl/model/layer_name.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<4>, residual<Dense<4>, residual<Dense<4>>, Dense<4>>,
                                        concat<Dense<1>, Dense<2>>, named<"logits", Dense<3>>>> {};

TEST_CASE("layers are called by kind and place unless they have a name") {
  const graph_view& view = graph_of<net>;
  CHECK(layer_name(view.layers[0]) == "dense_0");
  CHECK(layer_name(view.layers[1]) == "dense_1_0");
  CHECK(layer_name(view.layers.back()) == "logits");
  std::set<std::string> names;
  for (const layer_record& layer : view.layers) {
    names.insert(layer_name(layer));
  }
  std::printf("checked %zu layer names\n", names.size());
  CHECK(names.size() == view.layers.size());
  CHECK(names.size() == 10);
}

}  // namespace
