// SPDX-License-Identifier: MIT
// A model as a type, its graph as a value, and the check in between.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/model/assembly.hpp>
#include <ipu_dsl/model/compose.hpp>

namespace ipu_dsl {

/// A model: the shape of a sample and what computes it. Derive from it, so that messages and
/// symbols say the name: `struct mlp : model<input<28, 28>, pipeline<...>> {};`
/// It holds no data: ask `graph_of<mlp>`.
template <typename Input, typename Body, typename Assignment = stage_assignment<>>
struct model {
  using input_type = Input;
  using body_type = Body;
  using assignment_type = Assignment;
};

/// How the graph of a model is made: `model_fold<M>::make()`. There is one for each way in which a
/// model can be written; functional.hpp has the other.
template <typename M>
struct model_fold;

/// A model that is a list of layers.
template <typename M>
concept layered_model = requires {
  typename M::input_type;
  typename M::body_type;
  typename M::assignment_type;
};

template <layered_model M>
struct model_fold<M> {
  static constexpr graph make() {
    using assignment = typename M::assignment_type;
    return assembly::build(M::input_type::extents, element_of<typename M::body_type>,
                           {assignment::stages, static_cast<std::size_t>(assignment::count)});
  }
};

/// A model, written either way. Model: `struct mlp : model<...> {}`. Not a model: `pipeline<...>`,
/// which has no input yet.
template <typename M>
concept model_type = requires { model_fold<M>::make(); };

/// The graph of a model while the compiler evaluates; `fault` holds the first mistake.
template <model_type M>
constexpr graph fold() {
  return model_fold<M>::make();
}

struct graph_sizes {
  std::size_t tensors;
  std::size_t nodes;
  std::size_t operands;
  std::size_t layers;
};

constexpr graph_sizes sizes_of(const graph& model) {
  return {model.tensors.size(), model.nodes.size(), model.operands.size(), model.layers.size()};
}

template <model_type M>
inline constexpr graph_sizes graph_sizes_of = sizes_of(fold<M>());

template <model_type M>
inline constexpr frozen_graph<graph_sizes_of<M>.tensors, graph_sizes_of<M>.nodes,
                              graph_sizes_of<M>.operands, graph_sizes_of<M>.layers>
    frozen_graph_of{fold<M>()};

/// The first mistake of a model, or none.
template <model_type M>
struct fault_of {
  static constexpr const problem& value = frozen_graph_of<M>.fault;
};

/// Whether the model is right; never an error.
template <model_type M>
constexpr bool valid() {
  return !fault_of<M>::value.found();
}

/// Makes one compile error with one sentence if the model is wrong; always true, so that
/// `static_assert(check<mlp>())` adds none.
template <model_type M>
constexpr bool check() {
  return diagnose<fault_of<M>>();
}

/// The graph of a model, in static storage.
template <model_type M>
inline constexpr graph_view graph_of = frozen_graph_of<M>.view();

/// How many layers stand in stages or in the outermost sequence.
constexpr std::size_t listed_layers(const graph_view& model) {
  return model.layers.empty() ? 0 : static_cast<std::size_t>(model.layers.back().number) + 1;
}

/// The stage of every layer that stands in a stage or in the outermost sequence, in order: what
/// `stage_assignment<...>` takes.
template <model_type M>
constexpr auto get_stage_assignment() {
  std::array<std::int32_t, listed_layers(graph_of<M>)> stages{};
  for (const layer_record& layer : graph_of<M>.layers) {
    stages[static_cast<std::size_t>(layer.number)] = layer.stage;
  }
  return stages;
}

template <model_type M>
inline constexpr auto stage_assignment_of = get_stage_assignment<M>();

}  // namespace ipu_dsl
