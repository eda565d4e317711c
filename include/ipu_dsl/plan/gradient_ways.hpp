// SPDX-License-Identifier: MIT
// Which way gradients go back through a graph: who reads a tensor, how its gradient lies, and which
// layers need no call for theirs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/graph/lowering_facts.hpp>

namespace ipu_dsl {

/// A metric reads scores without adding to their gradient.
constexpr bool gives_gradient_back(const node& here) {
  return here.purpose != node_purpose::metric;
}

/// Finds what `lowering_facts` says of gradients.
class gradient_ways {
 public:
  /// `live` says by node what the program needs.
  constexpr gradient_ways(const graph_view& model, const list<bool>& live, lowering_facts& facts)
      : model_(model), live_(live), facts_(facts) {}

  constexpr void find() {
    find_readers();
    choose_layouts();
    facts_.put_through.resize(model_.tensors.size(), activation_kind::linear);
    facts_.handed_on.resize(model_.operands.size(), -1);
    for (std::int32_t i = 0; trains() && i < node_count(); ++i) {
      if (hands_back(i) && model_.node_at(i).outputs == 1) {
        choose_activation(i);
        choose_handing_on(i);
      }
    }
  }

 private:
  constexpr std::int32_t node_count() const {
    return static_cast<std::int32_t>(model_.nodes.size());
  }

  constexpr bool trains() const { return facts_.program == program_kind::train; }

  /// Of the live nodes, in order of nodes, only those through which a gradient can come.
  constexpr bool hands_back(std::int32_t i) const {
    return live_[i] && gives_gradient_back(model_.node_at(i));
  }

  template <typename Visit>
  constexpr void for_each_reader(Visit visit) const {
    for (std::int32_t i = 0; i < node_count(); ++i) {
      const node& here = model_.node_at(i);
      for (std::int32_t input = 0; hands_back(i) && input < here.inputs; ++input) {
        visit(model_.input_of(here, input), here.first_operand + input);
      }
      for (std::int32_t own = 0; hands_back(i) && own < here.parameters; ++own) {
        visit(model_.parameter_of(here, own), model_.use_of(here, own));
      }
    }
  }

  constexpr void find_readers() {
    list<std::int32_t> count(model_.tensors.size() + 1, 0);
    for_each_reader([&](std::int32_t tensor, std::int32_t) { ++count[tensor + 1]; });
    for (std::size_t i = 1; i < count.size(); ++i) {
      count[i] += count[i - 1];
    }
    facts_.first_reader = count;
    facts_.readers.resize(count.back(), -1);
    for_each_reader([&](std::int32_t tensor, std::int32_t position) {
      facts_.readers[count[tensor]] = position;
      ++count[tensor];
    });
  }

  /// As the values, or as the one reader rather writes it and the producer reads it.
  constexpr void choose_layouts() {
    // Of what only a metric reads it lies so as well: its gradient is zero.
    for (const tensor& atom : model_.tensors) {
      facts_.gradient_lies.push_back(atom.lies);
    }
    for (std::int32_t i = 0; i < node_count(); ++i) {
      const node& here = model_.node_at(i);
      // Nobody reads some outputs of a layer of several, whose gradients are zeros.
      for (std::int32_t output = 0; here.outputs > 1 && output < here.outputs; ++output) {
        const std::int32_t made = model_.output_of(here, output);
        facts_.gradient_lies[made] = model_.at(made).lies;
      }
      for (std::int32_t input = 0; hands_back(i) && input < here.inputs; ++input) {
        const std::int32_t read = model_.input_of(here, input);
        const tensor& atom = model_.at(read);
        // Columns are those of vectors.
        const bool between_two = facts_.reader_count(read) == 1 && atom.view_of < 0 &&
                                 atom.producer >= 0 && atom.extents.rank == 1;
        facts_.gradient_lies[read] =
            between_two ? here.rule->gradients.first_of(
                              model_.node_at(atom.producer).rule->gradients, atom.lies)
                        : atom.lies;
      }
    }
  }

  /// The one node that reads a tensor.
  constexpr const node& reader_of(std::int32_t tensor) const {
    return model_.node_of_use(facts_.readers[facts_.first_reader[tensor]]);
  }

  /// The gradient of what node `i` makes goes through its activation where it is written, if each
  /// number is written once: by the one reader, if that can, or by the sum of several.
  constexpr void choose_activation(std::int32_t i) {
    const node& here = model_.node_at(i);
    if (!here.rule->takes_gradient_put_through) {
      return;
    }
    const std::int32_t made = model_.output_of(here, 0);
    const tensor& atom = model_.at(made);
    const activation_kind kind = here.rule->activation(here.options).kind;
    if (!atom.needs_gradient || !gradient_from_output_alone(kind) ||
        facts_.gradient_lies[made] != atom.lies || (here.rule->hands_gradient_on && !fits(here))) {
      return;
    }
    const std::int32_t readers = facts_.reader_count(made);
    if (readers > 1 || (readers == 1 && reader_puts_through(made))) {
      facts_.put_through[made] = kind;
    }
  }

  constexpr bool reader_puts_through(std::int32_t made) const {
    const node& reader = reader_of(made);
    return model_.input_of(reader, 0) == made &&
           reader.rule->puts_through(reader.options, model_.at(made).extents,
                                     facts_.gradient_lies[made]);
  }

  /// What hands gradients on has nothing to compute, but for an activation that nobody puts them
  /// through.
  constexpr void choose_handing_on(std::int32_t i) {
    const node& here = model_.node_at(i);
    if (!here.rule->hands_gradient_on || !fits(here)) {
      return;
    }
    const std::int32_t made = model_.output_of(here, 0);
    const bool activates = here.rule->activation(here.options).kind != activation_kind::linear;
    if (activates && facts_.put_through[made] == activation_kind::linear) {
      return;
    }
    for (std::int32_t input = 0; input < here.inputs; ++input) {
      facts_.handed_on[here.first_operand + input] = made;
    }
  }

  /// Whether the gradients of a node's inputs can lie where that of its output does: all that are
  /// wanted lie alike, none is that of a view, and that of the output is written in the node's own
  /// stage, so that no gradient goes past a stage.
  constexpr bool fits(const node& here) const {
    const std::int32_t made = model_.output_of(here, 0);
    if (!model_.at(made).needs_gradient || !comes_in_stage(here, made)) {
      return false;
    }
    for (std::int32_t input = 0; input < here.inputs; ++input) {
      const std::int32_t read = model_.input_of(here, input);
      const tensor& atom = model_.at(read);
      if (atom.needs_gradient && (atom.view_of >= 0 || !lie_alike(read, made))) {
        return false;
      }
    }
    return true;
  }

  /// Whether the stage of a node writes the gradient of what it makes, or of a view of that.
  constexpr bool comes_in_stage(const node& here, std::int32_t made) const {
    while (facts_.reader_count(made) == 1) {
      const node& reader = reader_of(made);
      const bool is_view =
          reader.outputs > 0 && model_.at(model_.output_of(reader, 0)).view_of == made;
      if (reader.stage != here.stage || !is_view) {
        return reader.stage == here.stage;
      }
      made = model_.output_of(reader, 0);
    }
    return true;
  }

  constexpr bool lie_alike(std::int32_t read, std::int32_t made) const {
    const tensor& left = model_.at(read);
    const tensor& right = model_.at(made);
    return left.extents == right.extents && left.type == right.type &&
           left.samples == right.samples &&
           facts_.gradient_lies[read] == facts_.gradient_lies[made];
  }

  graph_view model_;
  const list<bool>& live_;
  lowering_facts& facts_;
};

}  // namespace ipu_dsl
