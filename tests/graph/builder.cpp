// SPDX-License-Identifier: MIT
// Tests of graph/builder.hpp and graph/node_draft.hpp, with families of the test's own.
#include <cstdint>

#include <ipu_dsl/graph/builder.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

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

constexpr checks test_operands() {
  const graph model = two_nodes();
  const graph_view view = model.view();
  const node& halves = view.node_at(0);
  checks done;
  done.that(view.nodes.size() == 2);
  done.that(view.tensors.size() == 6);
  done.that(halves.inputs == 1);
  done.that(halves.outputs == 2);
  done.that(halves.parameters == 2);
  // Inputs, outputs, then parameters and states, in whichever order the rule made them.
  done.that(view.input_of(halves, 0) == 0);
  done.that(view.output_of(halves, 0) == 2);
  done.that(view.output_of(halves, 1) == 4);
  done.that(view.parameter_of(halves, 0) == 1);
  done.that(view.parameter_of(halves, 1) == 3);
  const node& last = view.node_at(1);
  done.that(last.stage == 1);
  done.that(last.layer == 3);
  done.that(view.input_of(last, 0) == 2);
  return done;
}

constexpr checks test_tensors() {
  const graph model = two_nodes();
  const graph_view view = model.view();
  const tensor& scale = view.at(1);
  const tensor& seen = view.at(3);
  checks done;
  done.that(scale.role == tensor_role::parameter);
  done.that(scale.trainable);
  done.that(scale.owner == 0);
  done.that(scale.producer == -1);
  done.that(scale.name == "scale");
  done.that(scale.start.kind == initializer_kind::ones);
  done.that(seen.role == tensor_role::state);
  done.that(!seen.trainable);
  done.that(seen.owner == 0);
  done.that(!per_sample(scale));
  done.that(!per_sample(seen));
  done.that(per_sample(view.at(2)));
  done.that(view.at(4).producer == 0);
  done.that(view.at(4).extents == shape{4});
  done.that(view.at(5).view_of == 2);
  done.that(view.storage_of(5) == 2);
  done.that(view.storage_of(4) == 4);
  return done;
}

constexpr checks test_refusal() {
  graph model;
  const std::int32_t inputs[] = {add_source(model, {7}, dtype::float32, tensor_role::input)};
  const problem found = add_node(model, halves_family, {}, inputs, 0, -1);
  checks done;
  done.that(found.got.view() == "(7)");
  done.that(found.where.empty());
  done.that(model.nodes.empty());
  return done;
}

constexpr checks test_frozen() {
  constexpr frozen_graph<6, 2, 7, 0> frozen(two_nodes());
  const graph model = two_nodes();
  const graph_view left = frozen.view();
  const graph_view right = model.view();
  bool same = left.operands.size() == right.operands.size() &&
              left.find(tensor_role::input) == right.find(tensor_role::input);
  for (std::size_t i = 0; i < right.operands.size(); ++i) {
    same = same && left.operands[i] == right.operands[i];
  }
  checks done;
  done.that(same);
  done.that(left.tensors.size() == right.tensors.size());
  done.that(left.nodes[0].rule == &halves_family);
  return done;
}

/// A rule may keep the shape of an input while it adds tensors, however many there were before.
constexpr checks test_kept_shape() {
  checks done;
  for (int before = 0; before < 20; ++before) {
    graph model;
    for (int i = 0; i < before; ++i) {
      add_source(model, {2}, dtype::float32, tensor_role::activation);
    }
    const std::int32_t inputs[] = {add_source(model, {8}, dtype::float32, tensor_role::input)};
    done.that(!add_node(model, halves_family, {}, inputs, 0, -1).found());
    done.that(model.tensors.back().extents == shape{4});
  }
  return done;
}

constexpr family nameless_family{.name = "Nameless", .shapes = [](node_draft& draft) {
                                   draft.parameter("", {2}, {initializer_kind::ones});
                                   draft.output(draft.input(0));
                                   return problem{};
                                 }};

constexpr family twins_family{.name = "Twins", .shapes = [](node_draft& draft) {
                                draft.parameter("scale", {2}, {initializer_kind::ones});
                                draft.state("scale", {2}, {});
                                draft.output(draft.input(0));
                                return problem{};
                              }};

constexpr label got_of(const family& rule) {
  graph model;
  const std::int32_t inputs[] = {add_source(model, {2}, dtype::float32, tensor_role::input)};
  return add_node(model, rule, {}, inputs, 0, -1).got;
}

/// Weights are found by the names of parameters and states.
constexpr checks test_names() {
  checks done;
  done.that(got_of(nameless_family).view() == "none");
  done.that(got_of(twins_family).view() == "scale twice");
  done.that(got_of(halves_family).empty());
  return done;
}

static_assert(test_operands());
static_assert(test_names());
static_assert(test_tensors());
static_assert(test_kept_shape());
static_assert(test_refusal());
static_assert(test_frozen());

TEST_CASE("a node has its operands in order of role") {
  CHECK(test_operands());
}

TEST_CASE("a node's tensors know where they come from") {
  CHECK(test_tensors());
}

TEST_CASE("a rule keeps the shape of an input while the graph grows") {
  CHECK(test_kept_shape());
}

TEST_CASE("parameters and states have names of their own") {
  CHECK(test_names());
}

TEST_CASE("a refused node is not added") {
  CHECK(test_refusal());
}

TEST_CASE("a frozen graph is the same graph") {
  CHECK(test_frozen());
}

}  // namespace
