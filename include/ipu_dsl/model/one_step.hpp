// SPDX-License-Identifier: MIT
// A model of sequences that is given one step after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/model/model.hpp>

namespace ipu_dsl {

/// The model `M` of sequences, given a step at a time: its input has one step, what recurrent
/// layers and causal convolutions carry they find again, and its weights are those of `M`. For
/// predictors alone:
///
///   weights_of<one_step<tagger>> weights;
///   weights.copy_from(run.weights());  // of a session of tagger
///   predictor<one_step<tagger>> stream(weights);
///   stream.push(sample);  // as often as there are steps
///   stream.reset();       // before another sequence
template <typename M>
struct one_step {
  static constexpr problem refused =
      refuse("a model that is a list of layers in one_step<...>", type_name<M>(),
             "write one_step<tagger> for a struct tagger : model<...> {}");
};

template <typename M>
inline constexpr bool steps_one_by_one = false;

template <typename M>
inline constexpr bool steps_one_by_one<one_step<M>> = true;

/// Makes every node of a model one of a model of one step. The first that cannot be is the fault.
constexpr void walk_by_step(graph& made) {
  for (std::size_t i = 0; i < made.nodes.size() && !made.fault.found(); ++i) {
    node& each = made.nodes[i];
    // What is at every step remembers none.
    if (made.tensors[made.view().output_of(each, 0)].steps_of >= 0) {
      continue;
    }
    problem found = each.rule->one_step(each.options);
    if (found.found()) {
      found.where = made.view().place_of(each);
      made.fault = found;
    }
  }
}

/// Whether two models have weights of the same shapes.
constexpr problem compare_weights(const graph& whole, const graph& stepped) {
  const auto is_kept = [](const tensor& atom) {
    return atom.role == tensor_role::parameter || atom.role == tensor_role::state;
  };
  std::size_t other = 0;
  for (const tensor& atom : whole.tensors) {
    if (!is_kept(atom)) {
      continue;
    }
    while (other < stepped.tensors.size() && !is_kept(stepped.tensors[other])) {
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

template <typename M>
  requires(!steps_one_by_one<M>)
struct model_fold<one_step<M>> {
  static constexpr graph make() {
    graph made;
    if constexpr (!layered_model<M>) {
      made.fault = one_step<M>::refused;
      made.fault.where = "one_step<...>";
    } else if (!valid<M>()) {
      made.fault = fault_of<M>::value;
    } else if (M::input_type::extents.rank == 0) {
      made.fault = refuse("an input of steps", "one number");
      made.fault.where = "one_step<...>";
    } else {
      const graph whole = model_fold<M>::make();
      // Asked first of all steps: of one alone, a kernel may not even fit.
      made = whole;
      walk_by_step(made);
      if (made.fault.found()) {
        return made;
      }
      using assignment = typename M::assignment_type;
      shape input = M::input_type::extents;
      input.extents[0] = 1;
      made = assembly::build(input, M::input_type::type, element_of<typename M::body_type>,
                             {assignment::stages, static_cast<std::size_t>(assignment::count)});
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
