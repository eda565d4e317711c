// SPDX-License-Identifier: MIT
// A model as a type, its graph as a value, and the check in between.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/late_refusal.hpp>
#include <ipu_dsl/core/packed_counts.hpp>
#include <ipu_dsl/model/assembly.hpp>
#include <ipu_dsl/model/model_parts.hpp>
#include <ipu_dsl/model/other_type.hpp>

namespace ipu_dsl {

/// A model: the shape of a sample and what computes it. Derive from it, so that messages and
/// symbols say the name: `struct mlp : model<input<28, 28>, pipeline<...>> {};`
/// It holds no data: ask `graph_of<mlp>`.
///
/// Any number of arguments of any type is taken, so that a wrong one becomes a problem.
template <typename... Parts>
struct model {
  using input_type = input<>;
  using body_type = sequential<>;
  using assignment_type = stage_assignment<>;
  static constexpr problem fault = check_parts({part_of<Parts>()...});
};

template <model_input Input, typename Body>
  requires(part_of<Body>().what == model_part::kind::body)
struct model<Input, Body> {
  using input_type = Input;
  using body_type = Body;
  using assignment_type = stage_assignment<>;
  static constexpr problem fault = check_part("input", Input::given.fault);
};

template <model_input Input, typename Body, model_assignment Assignment>
  requires(part_of<Body>().what == model_part::kind::body)
struct model<Input, Body, Assignment> {
  using input_type = Input;
  using body_type = Body;
  using assignment_type = Assignment;
  static constexpr problem fault = !is_null(Input::given.fault)
                                       ? check_part("input", Input::given.fault)
                                       : check_part("stage_assignment", Assignment::fault);
};

/// What is most likely a consequence of a mistake that the compiler has told.
constexpr problem heard_late(problem found) {
  found.late = true;
  return found;
}

template <layered_model M>
struct model_fold<M> {
  static constexpr graph make() {
    if (M::fault.found()) {
      graph wrong;
      wrong.fault = M::fault;
      return wrong;
    }
    using assignment = typename M::assignment_type;
    return assembly::build(M::input_type::extents, M::input_type::type,
                           element_of<typename M::body_type>,
                           {assignment::stages, static_cast<std::size_t>(assignment::count)});
  }

  /// Most often there is a mistake in a rule that the compiler has told.
  static constexpr problem refuse_late() {
    if (false) {
      static_cast<void>(late::rules_not_constant<M>);
    }
    return heard_late(refuse("rules of layers that the compiler can run", "one that it can not"));
  }
};

struct graph_sizes {
  std::size_t tensors = 0;
  std::size_t nodes = 0;
  std::size_t operands = 0;
  std::size_t layers = 0;

  /// All of them in one number.
  constexpr std::uint64_t packed() const {
    return packed_count(tensors, 16, 48) + packed_count(nodes, 16, 32) +
           packed_count(operands, 16, 16) + packed_count(layers, 16, 0);
  }
};

constexpr graph_sizes unpack_graph_sizes(std::uint64_t packed) {
  return {unpacked_count(packed, 16, 48), unpacked_count(packed, 16, 32),
          unpacked_count(packed, 16, 16), unpacked_count(packed, 16, 0)};
}

constexpr graph_sizes sizes_of(const graph& model) {
  return {model.tensors.size(), model.nodes.size(), model.operands.size(), model.layers.size()};
}

/// The sizes of a graph, or no constant.
template <model_type M>
inline const std::uint64_t packed_sizes_of = sizes_of(model_fold<M>::make()).packed();

/// Whether the compiler can run what makes the graph.
template <typename M>
concept folded_by_compiler =
    requires { typename std::integral_constant<std::uint64_t, packed_sizes_of<M>>; };

/// The graph of a model while the compiler evaluates; `fault` holds the first mistake.
template <model_type M>
constexpr graph fold() {
  if constexpr (folded_by_compiler<M>) {
    return model_fold<M>::make();
  } else {
    graph wrong;
    wrong.fault = model_fold<M>::refuse_late();
    return wrong;
  }
}

template <model_type M>
constexpr graph_sizes find_graph_sizes() {
  if constexpr (folded_by_compiler<M>) {
    return unpack_graph_sizes(packed_sizes_of<M>);
  } else {
    return {};
  }
}

template <model_type M>
inline constexpr graph_sizes graph_sizes_of = find_graph_sizes<M>();

template <model_type M>
inline constexpr frozen_graph<graph_sizes_of<M>.tensors, graph_sizes_of<M>.nodes,
                              graph_sizes_of<M>.operands, graph_sizes_of<M>.layers>
    frozen_graph_of{fold<M>()};

/// The graph of a model, in static storage.
template <model_type M>
inline constexpr graph_view graph_of = frozen_graph_of<M>.view();

/// The first mistake of a model, or none.
template <model_type M>
struct fault_of {
  static constexpr const problem& value = frozen_graph_of<M>.fault;
};

/// A model as a layer of another, as Keras nests them: in the stage of its call, its weights under
/// its name, `encoder/dense_0/kernel`. `sequential<encoder, Dense<10>>`, `frozen<encoder>`, and in
/// a functional model `build.layer<encoder>("encoder", x)` or `build.shared<encoder>("encoder")`.
/// Refused: one with several stages or values of its own, and inputs that are not its own.
template <model_type M>
struct element_of_model<M> {
  static constexpr std::string_view name = type_name<M>();
  static constexpr element value = {.kind = element_kind::model,
                                    .combinator = name,
                                    .nested = &graph_of<M>,
                                    .fault = &fault_of<M>::value};
};

/// Whether the model is right; never an error.
template <model_type M>
constexpr bool is_valid() {
  return !fault_of<M>::value.found();
}

/// Makes one compile error with one sentence if the model is wrong; always true, so that
/// `static_assert(check<mlp>())` adds none.
template <model_type M>
constexpr bool(check)() {
  return diagnose<fault_of<M>>();
}

/// How many layers stand in stages or in the outermost sequence.
constexpr std::size_t listed_layers(const graph_view& model) {
  return model.layers.empty() ? 0
                              : static_cast<std::size_t>(listed_number(model.layers.back())) + 1;
}

/// The stage of every layer that stands in a stage or in the outermost sequence, in order: what
/// `stage_assignment<...>` takes.
template <model_type M>
constexpr auto get_stage_assignment() {
  std::array<std::int32_t, listed_layers(graph_of<M>)> stages{};
  for (const layer_record& layer : graph_of<M>.layers) {
    stages[static_cast<std::size_t>(listed_number(layer))] = layer.stage;
  }
  return stages;
}

template <model_type M>
inline constexpr auto stage_assignment_of = get_stage_assignment<M>();

}  // namespace ipu_dsl
