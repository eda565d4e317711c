// SPDX-License-Identifier: MIT
// A model of sequences that is given one step after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>

namespace ipu_dsl {

/// The model `M` of sequences, listed or functional, given a step at a time: its inputs have one
/// step, what recurrent layers and causal convolutions carry they find again, and its weights are
/// those of `M`. Merges work on each step, whatever way each of their inputs came; a model that is
/// a layer of `M` is given steps as `M` is. For predictors alone:
///
///   weights_of<one_step<tagger>> weights;
///   weights.copy_from(run.weights());  // of a session of tagger
///   predictor<one_step<tagger>> stream(weights);
///   stream.push(sample);  // as often as there are steps
///   stream.reset();       // before another sequence
template <typename M>
struct one_step {
  static constexpr problem refused =
      refuse("a model of layers in one_step<...>", type_name<M>(),
             "write one_step<tagger> for a struct tagger : model<...> {}");
};

template <typename M>
inline constexpr bool steps_one_by_one = false;

template <typename M>
inline constexpr bool steps_one_by_one<one_step<M>> = true;

/// What is wrong with a node that carries something from step to step, if it reads more than the
/// steps.
constexpr problem check_carrying(const graph_view& model, const node& carrying) {
  const std::int32_t last = carrying.inputs - 1;
  const bool told = model.at(model.input_of(carrying, last)).is_mask;
  if (carrying.inputs - (told ? 1 : 0) == 1) {
    return {};
  }
  return refuse("a recurrent layer that begins with zeros", "one with an initial state",
                "a state is that of no step: reset() begins another sequence");
}

/// Makes every node of a model one of a model of one step. The first that cannot be is the fault.
constexpr void walk_by_step(graph& made) {
  for (std::size_t i = 0; i < made.nodes.size() && !made.fault.found(); ++i) {
    node& each = made.nodes[i];
    // What is at every step remembers none.
    if (made.tensors[made.view().output_of(each, 0)].steps_of >= 0) {
      continue;
    }
    const attributes of_all_steps = each.options;
    problem found = each.rule->one_step(each.options);
    if (!found.found() && !(each.options == of_all_steps)) {
      found = check_carrying(made.view(), each);
    }
    if (found.found()) {
      found.where = made.view().place_of(each);
      made.fault = found;
    }
  }
}

/// Whether two models have weights of the same shapes.
constexpr problem compare_weights(const graph& whole, const graph& stepped) {
  std::size_t other = 0;
  for (const tensor& atom : whole.tensors) {
    if (!is_parameter_or_state(atom)) {
      continue;
    }
    while (other < stepped.tensors.size() && !is_parameter_or_state(stepped.tensors[other])) {
      ++other;
    }
    if (other == stepped.tensors.size() || !(stepped.tensors[other].extents == atom.extents)) {
      problem found = refuse("weights that do not depend on the number of steps",
                             label(describe(atom.extents)) << " for all of them",
                             "a layer behind all steps at once cannot be given them one by one");
      found.where = whole.view().place_of(whole.nodes[static_cast<std::size_t>(atom.owner)]);
      return found;
    }
    ++other;
  }
  return {};
}

/// What is wrong with the inputs of a model that is to be given steps of them.
constexpr problem check_steps(const graph_view& whole) {
  const std::int32_t inputs = whole.count(tensor_role::input);
  for (std::int32_t i = 0; i < inputs; ++i) {
    const shape& given = whole.at(whole.find(tensor_role::input, i)).extents;
    if (given.rank == 0) {
      return refuse("an input of steps", "one number");
    }
    const std::int32_t first = whole.input().extents[0];
    if (given[0] != first) {
      return refuse(label("inputs of as many steps, ") << first, label() << given[0],
                    "a step of each is pushed at a time");
    }
  }
  return {};
}

/// A model of layers, as a list of them or as calls.
template <typename M>
concept model_of_layers = layered_model<M> || functional_model<M>;

/// The model with inputs of one step.
template <model_of_layers M>
constexpr graph build_by_step() {
  if constexpr (layered_model<M>) {
    using assignment = typename M::assignment_type;
    shape input = M::input_type::extents;
    input.extents[0] = 1;
    return assembly::build(input, M::input_type::type, element_of<typename M::body_type>,
                           {assignment::stages, static_cast<std::size_t>(assignment::count)}, true);
  } else {
    functional_builder builder(functional_builder::by_step{});
    return run_build<M>(builder);
  }
}

template <typename M>
struct model_fold<one_step<M>> {
  static constexpr graph make() {
    graph made;
    if constexpr (steps_one_by_one<M>) {
      made.fault =
          refuse("a model of all steps in one_step<...>", "one of one step", "write one_step once");
      made.fault.where = "one_step<...>";
    } else if constexpr (!model_of_layers<M>) {
      made.fault = one_step<M>::refused;
      made.fault.where = "one_step<...>";
    } else if (!is_valid<M>()) {
      made.fault = fault_of<M>::value;
    } else {
      // Asked first of all steps: of one alone, a kernel may not even fit.
      const graph whole = model_fold<M>::make();
      made = whole;
      made.fault = check_steps(whole.view());
      if (made.fault.found()) {
        made.fault.where = "one_step<...>";
        return made;
      }
      walk_by_step(made);
      if (made.fault.found()) {
        return made;
      }
      made = build_by_step<M>();
      if (!made.fault.found()) {
        walk_by_step(made);
      }
      if (!made.fault.found()) {
        made.fault = compare_weights(whole, made);
      }
    }
    return made;
  }

  static constexpr problem refuse_late() { return model_fold<M>::refuse_late(); }
};

}  // namespace ipu_dsl
