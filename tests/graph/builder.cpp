// SPDX-License-Identifier: MIT
// Tests of graph/builder.hpp and graph/node_draft.hpp, with families of the test's own.
#include <cstdint>

#include <ipu_dsl/graph/builder.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// Cuts a vector into two halves: two outputs, and a parameter and a state made between them.
constexpr family halves_family{.name = "Halves", .shapes = [](node_draft& draft) {
                                 const shape& whole = draft.input(0);
                                 if (whole.rank != 1 || whole[0] % 2 != 0) {
                                   return refuse("an even vector", describe(whole));
                                 }
                                 draft.parameter("scale", {whole[0]}, {initializer_kind::ones});
                                 draft.output({whole[0] / 2});
                                 draft.state("seen", {}, {});
                                 draft.output({whole[0] / 2});
                                 return problem{};
                               }};

constexpr family view_family{.name = "View", .shapes = [](node_draft& draft) {
                               draft.view(0, {2, draft.input(0)[0] / 2});
                               return problem{};
                             }};

constexpr graph two_nodes() {
  graph model;
  const std::int32_t first[] = {add_source(model, {8}, dtype::float32, tensor_role::input)};
  add_node(model, halves_family, {}, first, 0, -1);
  const std::int32_t second[] = {newest_output(model)};
  add_node(model, view_family, {}, second, 1, 3);
  return model;
}

constexpr bool test_operands() {
  const graph model = two_nodes();
  const graph_view view = model.view();
  const node& halves = view.node_at(0);
  bool right = view.nodes.size() == 2 && view.tensors.size() == 6;
  right = right && halves.inputs == 1 && halves.outputs == 2 && halves.parameters == 2;
  // Inputs, outputs, then parameters and states, in whichever order the rule made them.
  right = right && view.input_of(halves, 0) == 0 && view.output_of(halves, 0) == 2 &&
          view.output_of(halves, 1) == 4;
  right = right && view.parameter_of(halves, 0) == 1 && view.parameter_of(halves, 1) == 3;
  const node& last = view.node_at(1);
  return right && last.stage == 1 && last.layer == 3 && view.input_of(last, 0) == 2;
}

constexpr bool test_tensors() {
  const graph model = two_nodes();
  const graph_view view = model.view();
  const tensor& scale = view.at(1);
  const tensor& seen = view.at(3);
  bool right = scale.role == tensor_role::parameter && scale.trainable && scale.owner == 0 &&
               scale.producer == -1 && scale.name == "scale" &&
               scale.start.kind == initializer_kind::ones;
  right = right && seen.role == tensor_role::state && !seen.trainable && seen.owner == 0;
  right = right && !per_sample(scale) && !per_sample(seen) && per_sample(view.at(2));
  right = right && view.at(4).producer == 0 && view.at(4).extents == shape{4};
  return right && view.at(5).view_of == 2 && view.storage_of(5) == 2 && view.storage_of(4) == 4;
}

constexpr bool test_refusal() {
  graph model;
  const std::int32_t inputs[] = {add_source(model, {7}, dtype::float32, tensor_role::input)};
  const problem found = add_node(model, halves_family, {}, inputs, 0, -1);
  return found.got.view() == "(7)" && found.where.empty() && model.nodes.empty();
}

constexpr bool test_frozen() {
  constexpr frozen_graph<6, 2, 7, 0> frozen(two_nodes());
  const graph model = two_nodes();
  const graph_view left = frozen.view();
  const graph_view right = model.view();
  bool same = left.operands.size() == right.operands.size() &&
              left.find(tensor_role::input) == right.find(tensor_role::input);
  for (std::size_t i = 0; i < right.operands.size(); ++i) {
    same = same && left.operands[i] == right.operands[i];
  }
  return same && left.tensors.size() == right.tensors.size() &&
         left.nodes[0].rule == &halves_family;
}

static_assert(test_operands());
static_assert(test_tensors());
static_assert(test_refusal());
static_assert(test_frozen());

TEST_CASE("a node has its operands in order of role") {
  CHECK(test_operands());
}

TEST_CASE("a node's tensors know where they come from") {
  CHECK(test_tensors());
}

TEST_CASE("a refused node is not added") {
  CHECK(test_refusal());
}

TEST_CASE("a frozen graph is the same graph") {
  CHECK(test_frozen());
}

}  // namespace
