// SPDX-License-Identifier: MIT
// Models that are cut at named layers: which stages their layers get, and what is refused.
#include <cstdint>
#include <string_view>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/split_at.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "model/same_graph.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using testing::same_computation;
using testing::same_graph;
using tests::checks;

using body =
    sequential<Flatten, named<"wide", Dense<8>>, residual<Dense<8>, relu, Dense<8>>, Dense<10>>;

struct mlp : model<input<4, 4>, body> {};

template <std::int32_t... Stages>
struct assigned : model<input<4, 4>, body, stage_assignment<Stages...>> {};

struct pipelined
    : model<input<4, 4>,
            pipeline<stage<Flatten>, stage<named<"wide", Dense<8>>,
                                           residual<Dense<8>, relu, Dense<8>>, Dense<10>>>> {};

struct cut_automatically : model<input<4, 4>, auto_pipeline<body, 3>> {};

struct in_two : split_at<mlp, "wide"> {};

/// By layer, in their order.
template <typename M>
constexpr label stages_of() {
  label stages;
  for (const layer_record& layer : graph_of<M>.layers) {
    stages << layer.stage;
  }
  return stages << (is_valid<M>() ? "" : " wrong");
}

/// The named layer is the last of its stage; whatever stages there were are forgotten.
constexpr checks test_stages() {
  checks done;
  done.that(stages_of<in_two>().view() == "0011111");
  done.that(stages_of<split_at<mlp, "flatten_0", "wide", "residual_2">>().view() == "0122223");
  done.that(stages_of<split_at<pipelined, "residual_2">>().view() == "0000001");
  done.that(stages_of<split_at<cut_automatically, "wide">>().view() == "0011111");
  done.that(stages_of<split_at<in_two, "residual_2">>().view() == "0000001");
  done.that(stages_of<split_at<pipelined>>().view() == "0000000");
  done.that(stages_of<split_at<mlp, "activation_2_1">>().view() == "0000111");
  done.that(graph_of<in_two>.stages == 2);
  return done;
}

static_assert(test_stages());
static_assert(same_graph(graph_of<in_two>, graph_of<assigned<0, 0, 1, 1>>),
              "a cut gives the assignment by numbers");
static_assert(same_computation(graph_of<split_at<mlp, "activation_2_1">>, graph_of<mlp>));

struct functional {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({4, 4, 2});
    const symbolic_tensor left = build.layer<Conv2D<2, 1>>("conv2_left", image);
    const symbolic_tensor right = build.layer<Conv2D<2, 1>>("conv2_right", image);
    const symbolic_tensor sum = build.layer<Add>("conv2_add", left, right);
    auto shared = build.shared<Conv2D<2, 1>>("shared");
    const symbolic_tensor once = shared(sum);
    const symbolic_tensor twice = shared(once);
    const symbolic_tensor flat = build.layer<Flatten>("", twice);
    const symbolic_tensor skip = build.layer<Flatten>("", left);
    const symbolic_tensor joined = build.layer<Add>("", flat, skip);
    return build.layer<Dense<3>>("logits", joined);
  }
};

/// Layers in the order of their calls; of a shared one the last call ends the stage.
constexpr checks test_functional() {
  checks done;
  done.that(stages_of<split_at<functional, "conv2_add">>().view() == "000111111");
  done.that(stages_of<split_at<functional, "conv2_left", "shared">>().view() == "011112222");
  return done;
}

template <typename M>
constexpr bool refused(std::string_view sentence) {
  return fault_of<M>::value.message().view() == sentence;
}

constexpr checks test_refusals() {
  checks done;
  done.that(refused<split_at<functional, "conv2_ad">>(
      "split_at: expected the name of a layer of the model, got \"conv2_ad\". Hint: did you mean "
      "conv2_add?"));
  done.that(refused<split_at<mlp, "conv4_block2_add">>(
      "split_at: expected the name of a layer of the model, got \"conv4_block2_add\". Hint: its "
      "layers are flatten_0 to dense_3; summary_text tells their names"));
  done.that(refused<split_at<mlp, "residual_2", "wide">>(
      "split_at: expected names in the order of their layers, got \"wide\" behind \"residual_2\". "
      "Hint: layer 1 Dense<8> named wide in stage 0: each stage ends with its layer"));
  done.that(refused<split_at<mlp, "dense_3">>(
      "split_at: expected a layer behind each cut, got \"dense_3\", the last layer. Hint: the last "
      "stage ends with it anyway: take the name out"));
  done.that(refused<split_at<mlp, "wide", "wide">>(
      "split_at: expected names in the order of their layers, got \"wide\" behind \"wide\". Hint: "
      "layer 1 Dense<8> named wide in stage 0: each stage ends with its layer"));
  done.that(refused<split_at<Dense<3>, "dense_0">>(
      "split_at: expected a model, got Dense<3>. Hint: write split_at<mlp, \"dense_1\"> for a "
      "struct mlp : model<...> {}"));
  return done;
}

static_assert(test_functional());
static_assert(test_refusals());

}  // namespace

TEST_CASE("a model is cut behind named layers") {
  CHECK(test_stages());
  CHECK(test_functional());
}

TEST_CASE("cuts that a model cannot have are refused") {
  CHECK(test_refusals());
}
