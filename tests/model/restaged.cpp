// SPDX-License-Identifier: MIT
// Models whose layers are given other stages by name: which they get, how they are read back, and
// what is refused.
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/restaged.hpp>
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

/// Two ways side by side, whose calls alternate, and a layer that is called twice.
struct two_towers {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({4, 4, 2});
    const symbolic_tensor right = build.layer<Conv2D<2, 1>>("right_0", image);
    const symbolic_tensor left = build.layer<Conv2D<2, 1>>("left_0", image);
    auto shared = build.shared<Conv2D<2, 1>>("right_1");
    const symbolic_tensor once = shared(right);
    const symbolic_tensor narrow = build.layer<Conv2D<2, 1>>("left_1", left);
    const symbolic_tensor twice = shared(once);
    const symbolic_tensor sum = build.layer<Add>("", twice, narrow);
    return build.layer<Dense<3>>("logits", build.layer<Flatten>("", sum));
  }
};

/// What begins with left is in the first stage, the rest in the second.
struct left_first : restaged<two_towers> {
  static constexpr void assign(std::span<layer_stage> layers) {
    for (layer_stage& each : layers) {
      each.stage = each.name.starts_with("left") ? 0 : 1;
    }
  }
};

using body =
    sequential<Flatten, named<"wide", Dense<8>>, residual<Dense<8>, relu, Dense<8>>, Dense<10>>;

struct mlp : model<input<4, 4>, body> {};

/// All up to a layer in the first stage, as the reference cuts a ResNet50.
struct cut : restaged<mlp> {
  static constexpr void assign(std::span<layer_stage> layers) {
    std::int32_t stage = 0;
    for (layer_stage& each : layers) {
      each.stage = stage;
      stage = each.name == "wide" ? 1 : stage;
    }
  }
};

/// One stage again.
struct reset : restaged<left_first> {
  static constexpr void assign(std::span<layer_stage> layers) {
    for (layer_stage& each : layers) {
      each.stage = 0;
    }
  }
};

/// Of a name that no layer has.
struct misspelt : restaged<left_first> {
  static constexpr void assign(std::span<layer_stage> layers) {
    for (layer_stage& each : layers) {
      each.stage = each.name == "logit" ? 0 : each.stage;
    }
  }
};

struct automatic : model<input<4, 4>, auto_pipeline<body, 2>> {};

struct no_longer : restaged<automatic> {
  static constexpr void assign(std::span<layer_stage> layers) {
    layers.back().stage = 1;
    for (layer_stage& each : layers.first(layers.size() - 1)) {
      each.stage = 0;
    }
  }
};

/// By layer, in their order.
template <typename M>
constexpr label stages_of() {
  label stages;
  for (const layer_stage& each : layer_stages_of<M>) {
    stages << each.stage;
  }
  return stages << (is_valid<M>() ? "" : " wrong");
}

constexpr checks test_stages() {
  checks done;
  done.that(stages_of<left_first>().view() == "10101111");
  done.that(graph_of<left_first>.stages == 2);
  done.that(stages_of<cut>().view() == "0011111");
  done.that(stages_of<reset>().view() == "00000000" && graph_of<reset>.stages == 1);
  done.that(stages_of<no_longer>().view() == "0000001");
  done.that(graph_of<no_longer>.stages == 2);
  done.that(stages_of<split_at<left_first, "right_1">>().view() == "00000111");
  return done;
}

constexpr checks test_reading() {
  const auto& told = layer_stages_of<left_first>;
  constexpr std::string_view names[] = {"right_0", "left_0", "right_1",   "left_1",
                                        "right_1", "add_5",  "flatten_6", "logits"};
  checks done;
  done.that(told.size() == std::size(names));
  for (std::size_t i = 0; i < told.size(); ++i) {
    done.that(told[i].name == names[i]);
    done.that(told[i].call == (i == 4 ? 1 : 0));
  }
  done.that(layer_stages_of<mlp>[3].name == "activation_2_1");
  return done;
}

static_assert(test_stages());
static_assert(test_reading());
static_assert(same_graph(graph_of<cut>, graph_of<split_at<mlp, "wide">>));
static_assert(same_graph(graph_of<reset>, graph_of<two_towers>));
static_assert(same_computation(graph_of<left_first>, graph_of<two_towers>));

/// Stages by place: what `Stages` says.
template <std::int32_t... Stages>
struct numbered : restaged<two_towers> {
  static constexpr void assign(std::span<layer_stage> layers) {
    constexpr std::array<std::int32_t, sizeof...(Stages)> given{Stages...};
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].stage = given[i];
    }
  }
};

struct silent : restaged<two_towers> {};

struct beyond : restaged<two_towers> {
  static constexpr void assign(std::span<layer_stage> layers) { layers[100].stage = 1; }
};

struct of_one_layer : restaged<two_towers> {
  static constexpr void assign(layer_stage&) {}
};

struct no_model : restaged<Dense<3>> {
  static constexpr void assign(std::span<layer_stage>) {}
};

struct wrong_before : restaged<numbered<0, 0, 0, 0, 0, 0, 0, 9>> {
  static constexpr void assign(std::span<layer_stage>) {}
};

template <typename M>
constexpr bool refused(std::string_view sentence) {
  return fault_of<M>::value.message().view() == sentence;
}

constexpr checks test_refusals() {
  checks done;
  done.that(refused<misspelt>(
      "assign: expected a layer in another stage, got all of them where they were. Hint: names are "
      "right_0, left_0, right_1, left_1, right_1, add_5, flatten_6, logits"));
  done.that(refused<numbered<1, 0, 1, 0, 1, 0, 1, 1>>(
      "layer 5 Add in stage 0: expected inputs of stage 0 or before, got one of stage 1. Hint: a "
      "layer depends on its own stage and on those before it"));
  done.that(refused<numbered<0, 0, 0, 0, 1, 1, 1, 1>>(
      "layer 4 Conv2D<2, 1> named right_1 in stage 1: expected calls of a shared layer in one "
      "stage, got stages 0 and 1. Hint: give all its calls the stage of the first"));
  done.that(refused<numbered<0, 0, 0, 0, 0, 2, 2, 2>>(
      "stage 1: expected at least 1 layer, got none. Hint: assign gives one to every stage, from 0 "
      "on"));
  done.that(refused<numbered<0, 0, 0, 0, 0, 0, 0, -1>>(
      "layer 7 Dense<3> named logits in stage 0: expected a stage from 0 to 7, got -1. Hint: each "
      "stage has a layer, and stages count from 0"));
  done.that(fault_of<wrong_before>::value.got.view() == "9");
  done.that(fault_of<silent>::value.expected.view() == "a function that gives layers their stages");
  done.that(fault_of<beyond>::value.got.view() == "one beyond");
  done.that(fault_of<of_one_layer>::value.hint.view() ==
            "write static constexpr void assign(std::span<layer_stage> layers)");
  done.that(
      refused<no_model>("restaged: expected a model, got Dense<3>. Hint: write "
                        "restaged<mlp> for a struct mlp : model<...> {}"));
  return done;
}

static_assert(test_refusals());

}  // namespace

TEST_CASE("layers of a model are given other stages by their names") {
  CHECK(test_stages());
}

TEST_CASE("the stages of a model's layers are read back") {
  CHECK(test_reading());
}

TEST_CASE("stages that layers cannot have are refused") {
  CHECK(test_refusals());
}
