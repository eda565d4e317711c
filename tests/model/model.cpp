// SPDX-License-Identifier: MIT
// Tests of model/model.hpp and model/assembly.hpp: what models become.
#include <string>

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "model/same_graph.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using testing::same_graph;
using tests::checks;

/// The model of the reference's tutorial.
struct mlp : model<input<28, 28>, pipeline<stage<Flatten, Dense<256, relu>>,
                                           stage<Dense<128, relu>, Dense<64, relu>, Dense<32, relu>,
                                                 named<"logits", Dense<10>>>>> {};

static_assert(check<mlp>() && is_valid<mlp>());

constexpr checks test_sizes() {
  const graph_view& view = graph_of<mlp>;
  // The input and, of every Dense, kernel, bias and output; of Flatten the output.
  checks done;
  done.that(view.tensors.size() == 17);
  done.that(view.nodes.size() == 6);
  done.that(view.layers.size() == 6);
  done.that(view.operands.size() == 2 + 5 * 4);
  done.that(view.stages == 2);
  done.that(view.find(tensor_role::input) == 0);
  done.that(view.find(tensor_role::target) == -1);
  done.that(view.loss() == nullptr);
  done.that(view.at(view.output(0)).extents == shape{10});
  return done;
}

constexpr checks test_shapes() {
  constexpr std::int32_t units[] = {784, 256, 128, 64, 32, 10};
  constexpr std::int32_t stages[] = {0, 0, 1, 1, 1, 1};
  const graph_view& view = graph_of<mlp>;
  checks done;
  for (std::size_t i = 0; i < view.layers.size(); ++i) {
    const layer_record& layer = view.layers[i];
    done.that(view.at(layer.output).extents == shape{units[i]});
    done.that(layer.stage == stages[i]);
    done.that(layer.number == static_cast<std::int32_t>(i));
    done.that(layer.nodes == 1);
    done.that(layer.part == -1);
  }
  done.that(view.layers[5].name == "logits");
  return done;
}

/// Only what lies behind the first kernel needs a gradient; Flatten is a view of the input.
constexpr checks test_tensors() {
  const graph_view& view = graph_of<mlp>;
  const std::int32_t flat = view.layers[0].output;
  checks done;
  done.that(view.at(flat).view_of == view.find(tensor_role::input));
  done.that(!view.at(flat).needs_gradient);
  done.that(!view.input().needs_gradient);
  done.that(view.at(view.layers[1].output).needs_gradient);
  return done;
}

struct nested
    : model<input<8>,
            sequential<Dense<4>, residual<Dense<4>, residual<Dense<4>, relu>, Dense<4>>,
                       concat<Dense<1>, sequential<Dense<2>, Dense<3>>>, Dense<5, softmax>>> {};

/// The layers inside of a residual or a branch count within it, inner joins too, so that no two
/// layers share a place.
constexpr bool test_nested_numbers() {
  constexpr std::string_view places[] = {
      "layer 0 Dense<4> in stage 0",   "layer 1.0 Dense<4> in stage 0",
      "layer 1.1 Dense<4> in stage 0", "layer 1.2 relu in stage 0",
      "layer 1.3 residual in stage 0", "layer 1.4 Dense<4> in stage 0",
      "layer 1 residual in stage 0",   "layer 2.0 Dense<1> in stage 0",
      "layer 2.1 Dense<2> in stage 0", "layer 2.2 Dense<3> in stage 0",
      "layer 2 concat in stage 0",     "layer 3 Dense<5, softmax> in stage 0"};
  const graph_view& view = graph_of<nested>;
  bool right = view.layers.size() == std::size(places);
  for (std::size_t i = 0; right && i < view.layers.size(); ++i) {
    right = where_is(view.layers[i]).view() == places[i];
  }
  return right && view.at(view.layers[10].output).extents == shape{4};
}

struct sequences
    : model<input<8>, sequential<sequential<Dense<4>>, sequential<Dense<4>, residual<Dense<4>>>>> {
};

/// So do those of a sequence of several, which would have one name otherwise.
constexpr checks test_numbers_of_sequences() {
  constexpr std::string_view places[] = {
      "layer 0 Dense<4> in stage 0", "layer 1.0 Dense<4> in stage 0",
      "layer 1.1 Dense<4> in stage 0", "layer 1.2 residual in stage 0"};
  const graph_view& view = graph_of<sequences>;
  checks done;
  done.that(view.layers.size() == std::size(places));
  for (std::size_t i = 0; i < view.layers.size(); ++i) {
    done.that(where_is(view.layers[i]).view() == places[i]);
  }
  return done;
}

/// A layer may be several nodes: a Dense whose softmax is a node of its own.
constexpr bool test_layer_of_two_nodes() {
  const layer_record& last = graph_of<nested>.layers.back();
  return last.nodes == 2 && graph_of<nested>.node_at(last.first_node + 1).layer == 11;
}

/// A residual joins its input with what its layers made.
constexpr checks test_residual_operands() {
  const graph_view& view = graph_of<nested>;
  const node& join = view.node_at(view.layers[6].first_node);
  checks done;
  done.that(join.rule == &add_family);
  done.that(view.input_of(join, 0) == view.layers[0].output);
  done.that(view.input_of(join, 1) == view.layers[5].output);
  return done;
}

template <typename Body, typename... Assignment>
struct cut : model<input<28, 28>, Body, Assignment...> {};

using layers = sequential<Flatten, Dense<256, relu>, Dense<128, relu>, Dense<64, relu>,
                          Dense<32, relu>, named<"logits", Dense<10>>>;

static_assert(test_sizes());
static_assert(test_shapes());
static_assert(test_tensors());
static_assert(test_nested_numbers());
static_assert(test_numbers_of_sequences());
static_assert(test_layer_of_two_nodes());
static_assert(test_residual_operands());
static_assert(same_graph(graph_of<mlp>, graph_of<cut<layers, stage_assignment<0, 0, 1, 1, 1, 1>>>),
              "a stage assignment gives the pipeline spelled out");
static_assert(!same_graph(graph_of<mlp>,
                          graph_of<cut<layers, stage_assignment<0, 1, 1, 1, 1, 1>>>));
static_assert(!same_graph(graph_of<mlp>, graph_of<cut<layers>>));
static_assert(is_valid<cut<sequential<softmax>>>());
static_assert(!is_valid<cut<sequential<Reshape<3>>>>());
static_assert(is_valid<cut<Flatten>>(), "a single layer is a model");

TEST_CASE("the tutorial's MLP becomes a graph") {
  CHECK(test_sizes());
  CHECK(test_shapes());
  CHECK(test_tensors());
}

TEST_CASE("nested layers count within their outermost layer") {
  CHECK(test_nested_numbers());
  CHECK(test_numbers_of_sequences());
  CHECK(test_layer_of_two_nodes());
  CHECK(test_residual_operands());
}

TEST_CASE("a stage assignment gives the pipeline spelled out") {
  CHECK(same_graph(graph_of<mlp>, graph_of<cut<layers, stage_assignment<0, 0, 1, 1, 1, 1>>>));
}

TEST_CASE("a softmax takes scores, whatever lies between it and another one") {
  CHECK(is_valid<cut<sequential<Flatten, Dense<3, softmax>, Dense<3>, softmax>>>());
  CHECK(is_valid<cut<sequential<Flatten, Dense<3>, sigmoid, softmax>>>());
  CHECK(fault_of<cut<sequential<Flatten, Dense<3, softmax>, softmax>>>::value.message().view() ==
        "layer 2 softmax in stage 0: expected scores for softmax, got what softmax has made "
        "already. Hint: keep one of the two");
  using moved = cut<sequential<Flatten, Dense<4>, softmax, Reshape<2, 2>, log_softmax>>;
  CHECK(fault_of<moved>::value.message().view() ==
        "layer 4 log_softmax in stage 0: expected scores for log_softmax, got what softmax has "
        "made already. Hint: keep one of the two");
}

TEST_CASE("the check of a right model is quiet, that of a wrong one is a value") {
  CHECK(is_valid<mlp>());
  CHECK(fault_of<cut<sequential<Reshape<3>>>>::value.message().view() ==
        "layer 0 Reshape<3> in stage 0: expected an input of 3 elements, got (28, 28), which has "
        "784. Hint: Reshape keeps the number of elements");
}

}  // namespace
