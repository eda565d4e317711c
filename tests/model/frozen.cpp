// SPDX-License-Identifier: MIT
// What does not learn: which parameters, and where gradients end; in every way of writing a model.
#include <cstdint>
#include <string_view>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/bidirectional.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/lstm.hpp>
#include <ipu_dsl/vocabulary/layers/time_distributed.hpp>

#include "model/same_graph.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using testing::same_computation;
using testing::same_graph;
using tests::checks;

template <typename... Layers>
struct listed : model<input<8>, sequential<Layers...>> {};

template <typename... Stages>
struct staged : model<input<8>, pipeline<Stages...>> {};

template <typename... Layers>
struct of_steps : model<input<6, 4>, sequential<Layers...>> {};

/// By parameter, in their order: 't' of one that learns, 'f' of another, 's' of a state.
constexpr label marks_of(const graph_view& view) {
  label marks;
  for (const tensor& atom : view.tensors) {
    if (atom.role == tensor_role::parameter) {
      marks << (atom.trainable ? "t" : "f");
    } else if (atom.role == tensor_role::state) {
      marks << "s";
    }
  }
  return marks;
}

template <typename M>
constexpr bool marked(std::string_view expected) {
  return is_valid<M>() && marks_of(graph_of<M>).view() == expected;
}

using dense = Dense<8>;

/// A layer, several, a stage, parts of parts, and a name on either side.
constexpr checks test_marks() {
  checks done;
  done.that(marked<listed<dense, frozen<dense>, dense>>("ttfftt"));
  done.that(marked<listed<frozen<sequential<dense, residual<dense>>>, dense>>("fffftt"));
  done.that(marked<listed<frozen<concat<dense, sequential<dense, dense>>>, dense>>("fffffftt"));
  done.that(marked<listed<residual<dense, frozen<dense>>, dense>>("ttfftt"));
  done.that(marked<listed<named<"a", frozen<dense>>, frozen<named<"b", dense>>, dense>>("fffftt"));
  done.that(marked<listed<frozen<BatchNormalization<>>, dense>>("ffsstt"));
  done.that(marked<staged<frozen<stage<dense, dense>>, stage<dense>>>("fffftt"));
  done.that(marked<staged<stage<frozen<sequential<dense>>, dense>, stage<dense>>>("fftttt"));
  done.that(marked<model<input<8>, frozen<pipeline<stage<dense>, stage<dense>>>>>("ffff"));
  done.that(
      marked<model<input<8>, frozen<sequential<dense, dense>>, stage_assignment<0, 1>>>("ffff"));
  done.that(marked<model<input<8>, auto_pipeline<sequential<frozen<dense>, dense>, 2>>>("fftt"));
  done.that(marked<model<input<8>, auto_pipeline<frozen<sequential<dense, dense>>, 2>>>("ffff"));
  done.that(marked<of_steps<Bidirectional<frozen<LSTM<3>>>, dense>>("fffffftt"));
  done.that(marked<of_steps<frozen<Bidirectional<LSTM<3>>>, dense>>("fffffftt"));
  done.that(marked<of_steps<TimeDistributed<frozen<dense>>, dense>>("fftt"));
  return done;
}

struct tied {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    auto shared = build.shared<frozen<dense>>("shared");
    const symbolic_tensor twice = shared(shared(point));
    const symbolic_tensor other = build.layer<frozen<dense>>("other", point);
    const symbolic_tensor sum = build.layer<Add>("sum", twice, other);
    return build.layer<dense>("out", sum);
  }
};

/// All calls of a shared layer are frozen with it.
constexpr checks test_functional() {
  const graph_view& view = graph_of<tied>;
  checks done;
  done.that(marked<tied>("fffftt"));
  done.that(view.node_at(0).frozen && view.node_at(1).frozen && view.node_at(2).frozen);
  done.that(!view.node_at(3).frozen && !view.node_at(4).frozen);
  return done;
}

/// Gradients come down to the first layer that learns, through frozen ones above it.
constexpr checks test_gradients() {
  const graph_view& view =
      graph_of<listed<frozen<dense>, frozen<dense>, dense, frozen<dense>, dense>>;
  constexpr bool expected[] = {false, false, true, true, true};
  checks done;
  for (std::size_t i = 0; i < view.layers.size(); ++i) {
    done.that(view.at(view.layers[i].output).needs_gradient == expected[i]);
  }
  done.that(view.layers.size() == 5);
  return done;
}

constexpr checks test_words() {
  const graph_view& view = graph_of<listed<frozen<dense>, named<"b", frozen<residual<dense>>>>>;
  checks done;
  done.that(where_is(view.layers[0]).view() == "layer 0 frozen<Dense<8>> in stage 0");
  done.that(where_is(view.layers[2]).view() == "layer 1 frozen<residual> named b in stage 0");
  done.that(automatic_name(title_of(view.layers[0]).own).view() == "dense_0");
  return done;
}

static_assert(test_marks());
static_assert(test_functional());
static_assert(test_gradients());
static_assert(test_words());
static_assert(!same_graph(graph_of<listed<dense, frozen<dense>>>, graph_of<listed<dense, dense>>));
static_assert(same_computation(graph_of<listed<dense, frozen<Flatten>, frozen<dense>>>,
                               graph_of<listed<dense, Flatten, frozen<dense>>>),
              "what has no parameters is not changed by being frozen");

}  // namespace

TEST_CASE("what is frozen does not learn") {
  CHECK(test_marks());
  CHECK(test_functional());
  CHECK(test_words());
}

TEST_CASE("gradients end at the first layer that learns") {
  CHECK(test_gradients());
}
