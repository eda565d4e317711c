// SPDX-License-Identifier: MIT
#include <cstdint>

#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/model/whole_model_check.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr const element& dense = Dense<3>::description;

/// Two layers on one input, the second in a stage of its own.
constexpr graph two_layers(std::int32_t second_stage) {
  graph made;
  const std::int32_t source[] = {add_source(made, {4}, dtype::float32, tensor_role::input)};
  for (std::int32_t layer = 0; layer < 2; ++layer) {
    const std::int32_t stage = layer * second_stage;
    static_cast<void>(add_node(made, dense_family, dense.options, source, stage, layer));
    const layer_record record{.source = &dense,
                              .name = {},
                              .number = layer,
                              .stage = stage,
                              .first_node = layer,
                              .nodes = 1,
                              .output = newest_output(made)};
    made.layers.push_back(record);
    made.stages = stage + 1;
  }
  return made;
}

constexpr sentence said(std::int32_t second_stage, list<std::int32_t> outputs) {
  const graph made = two_layers(second_stage);
  const problem found = whole_model_check(made.view(), std::move(outputs)).find();
  return found.found() ? found.message() : sentence();
}

constexpr std::int32_t first = 3;
constexpr std::int32_t second = 6;

constexpr bool test_right() {
  return said(0, {first, second}).empty() && said(1, {second, first}).empty();
}

static_assert(two_layers(0).layers[0].output == first && two_layers(0).layers[1].output == second);
static_assert(test_right());

}  // namespace

TEST_CASE("a model whose tensors are all read is right") {
  CHECK(test_right());
}

TEST_CASE("a model that returns its input is told of layers, not of stages") {
  graph made;
  const std::int32_t input = add_source(made, {4}, dtype::float32, tensor_role::input);
  CHECK(whole_model_check(made.view(), {input}).find().message().view() ==
        "build: expected a model of at least 1 layer, got none. Hint: call one on the input: "
        "build.layer<Dense<10>>(\"\", x)");
}

TEST_CASE("what only the whole of a model shows is said") {
  CHECK(said(0, {first}).view() ==
        "layer 1 Dense<3> in stage 0: expected an output that a layer reads, or that build "
        "returns, got one that nobody reads. Hint: call a layer on it or take it out");
  CHECK(said(0, {first, first}).view() ==
        "output 1: expected a tensor of its own, got that of output 0");
  CHECK(said(0, {first, -1}).view() ==
        "output 1: expected a tensor of this model, got one of nowhere");
  CHECK(said(0, {}).view() == "output: expected 1 to 8 outputs, got 0");
  CHECK(said(2, {first, second}).view() ==
        "stage 1: expected at least 1 layer, got none. Hint: call one behind build.stage(1), "
        "stages being numbered from 0");
}
