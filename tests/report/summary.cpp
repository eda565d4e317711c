// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/report/summary.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

/// The tutorial's model, named and cut as there.
struct tutorial
    : model<input<28, 28>,
            sequential<named<"flatten", Flatten>, named<"dense256", Dense<256, relu>>,
                       named<"dense128", Dense<128, relu>>, named<"dense64", Dense<64, relu>>,
                       named<"dense32", Dense<32, relu>>, named<"logits", Dense<10, softmax>>>,
            stage_assignment<0, 0, 1, 1, 1, 1>> {};

struct trained
    : compile<tutorial, gradient_accumulation<4>, loss<sparse_categorical_crossentropy>> {};

/// Without names, with layers inside layers, and trained on what it puts out.
struct branched
    : model<input<6>, pipeline<stage<Dense<8, relu>, residual<Dense<8, elu>, Dropout<0.25F>>>,
                               stage<concat<Dense<3>, Dense<4, use_bias<false>>>, Dense<2>>>> {};

struct trained_branched
    : compile<branched, gradient_accumulation<4>, loss<sparse_categorical_crossentropy>> {};

/// The lengths of the lines of a text that are not `length`.
std::size_t other_lengths(const std::string& text, std::size_t length) {
  std::size_t others = 0;
  for (std::size_t begin = text.find('\n') + 1; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    others += end - begin == length ? 0 : 1;
    begin = end + 1;
  }
  return others;
}

}  // namespace

TEST_CASE("a summary has a line for each layer, and says what the loss reads") {
  CHECK(summary_text(planned_graph_of<trained::compiled>.view(), "tutorial") ==
        "Model: tutorial\n"
        "Layer           Kind                  Output            Stage  Parameters\n"
        "---------------------------------------------------------------------------\n"
        "flatten         Flatten               (784)             0      0\n"
        "dense256        Dense<256, relu>      (256)             0      200960\n"
        "dense128        Dense<128, relu>      (128)             1      32896\n"
        "dense64         Dense<64, relu>       (64)              1      8256\n"
        "dense32         Dense<32, relu>       (32)              1      2080\n"
        "logits          Dense<10, softmax>    (10)              1      330\n"
        "---------------------------------------------------------------------------\n"
        "Parameters: 244522\n"
        "Loss: sparse_categorical_crossentropy, from the logits before the softmax at the end\n");
}

TEST_CASE("a summary names parts by their places") {
  CHECK(
      summary_text(planned_graph_of<trained_branched::compiled>.view(), "branched") ==
      "Model: branched\n"
      "Layer           Kind                      Output            Stage  Parameters  Reads\n"
      "------------------------------------------------------------------------------------------"
      "---------\n"
      "dense_0         Dense<8, relu>            (8)               0      56          input\n"
      "dense_1_0       Dense<8, elu>             (8)               0      72          dense_0\n"
      "dropout_1_1     Dropout<0.25>             (8)               0      0           dense_1_0\n"
      "residual_1      residual                  (8)               0      0           dense_0, "
      "dropout_1_1\n"
      "dense_2_0       Dense<3>                  (3)               1      27          residual_1\n"
      "dense_2_1       Dense<4, use_bias<false>> (4)               1      32          residual_1\n"
      "concat_2        concat                    (7)               1      0           dense_2_0, "
      "dense_2_1\n"
      "dense_3         Dense<2>                  (2)               1      16          concat_2\n"
      "------------------------------------------------------------------------------------------"
      "---------\n"
      "Parameters: 203\n"
      "Loss: sparse_categorical_crossentropy\n");
}

TEST_CASE("a model without a loss has a summary without one") {
  const std::string text = summary_text(graph_of<tutorial>, "tutorial");
  CHECK(text.find("Loss") == std::string::npos);
  CHECK(text.ends_with("Parameters: 244522\n"));
}

namespace {

/// A name and a kind that are longer than their columns.
struct wordy
    : model<input<8>, sequential<named<"a_name_of_twenty_two_", Dense<4096, leaky_relu>>>> {};

struct wordier
    : model<input<8>, sequential<named<"a_name_that_is_longer_than_any_column", Dense<8>>>> {};

struct of_images
    : model<input<8, 8, 3>,
            sequential<Conv2D<4, 3>, GlobalAveragePooling2D, frozen<Dense<8>>, Dense<2>>> {};

struct tuned : model<input<8>, sequential<frozen<Dense<8>>, Dense<2>>> {};

constexpr family kept_family{.name = "Kept", .shapes = [](node_draft& draft) {
                               draft.parameter("scale", {4}, {});
                               draft.state("mean", {8}, {});
                               draft.output({8});
                               return problem{};
                             }};

constexpr element kept{.kind = element_kind::layer, .rule = &kept_family};

/// A state of 8 values beside 4 that learn.
graph with_state() {
  graph made;
  const std::int32_t inputs[] = {add_source(made, {8}, dtype::float32, tensor_role::input)};
  add_node(made, kept_family, {}, inputs, 0, 0);
  layer_record layer;
  layer.source = &kept;
  layer.nodes = 1;
  layer.output = newest_output(made);
  made.layers.push_back(layer);
  made.outputs.push_back({newest_output(made), 0});
  return made;
}

}  // namespace

namespace {

struct remembering {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor steps = build.input({12, 4});
    const auto [y, h, c] = build.layers<LSTM<16, return_state<true>>, 3>("memory", steps);
    return build.layer<Dense<6, hyperbolic_tangent>>("", build.layer<Concatenate>("", y, h, c));
  }
};

}  // namespace

namespace {

/// What takes two sequences at every step, and makes two.
struct remembering_at_steps {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor rows = build.input({5, 12, 4});
    const symbolic_tensor before = build.input({5, 16});
    return build.layers<TimeDistributed<GRU<16, return_sequences<true>, return_state<true>>>, 2>(
        "memory", rows, before);
  }
};

struct tower : model<input<4>, sequential<Dense<8, relu>, named<"code", Dense<6>>>> {};

/// One encoder of two inputs.
struct twins {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor left = build.input("left", {4});
    const symbolic_tensor right = build.input({4});
    auto encoder = build.shared<tower>("encoder");
    return build.layer<Dot<1, 1>>("likeness", encoder(left), encoder(right));
  }
};

}  // namespace

TEST_CASE("a summary tells inputs and the calls of a shared layer apart") {
  const std::string text = summary_text(graph_of<twins>, "twins");
  INFO(text);
  CHECK(text.find("  input left\n") != std::string::npos);
  CHECK(text.find("  input 1\n") != std::string::npos);
  CHECK(text.find("  encoder/code, encoder/code\n") != std::string::npos);
}

TEST_CASE("a layer of several outputs has all their shapes in a summary") {
  const std::string text = summary_text(graph_of<remembering>, "remembering");
  CHECK(text.find("(16), (16), (16) ") != std::string::npos);
  CHECK(text.find("Dense<6, hyperbolic_tangent> (6) ") != std::string::npos);
}

TEST_CASE("layers at every step of several sequences have all their shapes in a summary") {
  const std::string text = summary_text(graph_of<remembering_at_steps>, "remembering_at_steps");
  INFO(text);
  CHECK(text.find(" (12, 4), (16) ") != std::string::npos);
  CHECK(text.find(" (5, 12, 16), (5, 16) ") != std::string::npos);
}

TEST_CASE("a column grows with its texts, and what is too long for it ends with dots") {
  const std::string text = summary_text(graph_of<wordy>, "wordy");
  CHECK(text.find(
            "\na_name_of_twenty_two_ Dense<4096, leaky_relu> (4096)            0      36864\n") !=
        std::string::npos);
  const std::string longer = summary_text(graph_of<wordier>, "wordier");
  CHECK(longer.find("\na_name_that_is_longer_than_a... Dense<8> ") != std::string::npos);
}

TEST_CASE("the stage assignment names classes without their arguments") {
  const std::string text = stage_assignment_text(graph_of<of_images>, "of_images", 80);
  CHECK(text.find("pooling_1 (GlobalAveragePooling2D)") != std::string::npos);
  CHECK(text.find("dense_2 (Dense)") != std::string::npos);
}

TEST_CASE("a summary counts what learns") {
  const graph made = with_state();
  const std::string text = summary_text(made.view(), "kept");
  CHECK(text.ends_with("\nParameters: 4\n"));
}

TEST_CASE("a summary says how much is frozen") {
  CHECK(summary_text(graph_of<tuned>, "tuned") ==
        "Model: tuned\n"
        "Layer           Kind                  Output            Stage  Parameters\n"
        "---------------------------------------------------------------------------\n"
        "dense_0         frozen<Dense<8>>      (8)               0      72\n"
        "dense_1         Dense<2>              (2)               0      18\n"
        "---------------------------------------------------------------------------\n"
        "Parameters: 90\n"
        "Trainable: 18\n"
        "Non-trainable: 72\n");
}

TEST_CASE("the stage assignment reads as Keras prints it") {
  CHECK(stage_assignment_text(graph_of<tutorial>, "tutorial") ==
        "Model: \"tutorial\"\n"
        "____________________________________________________________\n"
        "Layer (type)                  Pipeline Stage                \n"
        "============================================================\n"
        "flatten (Flatten)             0                             \n"
        "____________________________________________________________\n"
        "dense256 (Dense)              0                             \n"
        "____________________________________________________________\n"
        "dense128 (Dense)              1                             \n"
        "____________________________________________________________\n"
        "dense64 (Dense)               1                             \n"
        "____________________________________________________________\n"
        "dense32 (Dense)               1                             \n"
        "____________________________________________________________\n"
        "logits (Dense)                1                             \n"
        "============================================================\n");
}

TEST_CASE("the stage assignment is as wide as asked for") {
  const std::string text = stage_assignment_text(graph_of<tutorial>, "tutorial", 65);
  CHECK(text.find("Layer (type)                    Pipeline Stage                   \n") !=
        std::string::npos);
  CHECK(text.find("flatten (Flatten)               0                                \n") !=
        std::string::npos);
  int checked = 0;
  for (std::size_t length = 20; length <= 100; ++length) {
    CHECK(other_lengths(stage_assignment_text(graph_of<tutorial>, "tutorial", length), length) ==
          0);
    ++checked;
  }
  CHECK(checked == 81);
  std::printf("checked %d widths\n", checked);
}

TEST_CASE("what is too long for its column is cut") {
  const std::string text = stage_assignment_text(graph_of<tutorial>, "tutorial", 30);
  CHECK(text.find("dense256 (Dense0              \n") != std::string::npos);
}
