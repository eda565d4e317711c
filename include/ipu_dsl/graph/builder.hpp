// SPDX-License-Identifier: MIT
// Adds inputs and nodes to a graph, and runs the families' rules as it goes.
// Over 300 lines: all that adds to a graph, and what is asked of the whole of it.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/graph/masks.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/graph/repacking.hpp>

namespace ipu_dsl {

/// Adds a tensor that comes from the feed: an input or a target. Of integers `classes` says below
/// which they lie.
constexpr std::int32_t add_source(graph& model, const shape& extents, dtype type, tensor_role role,
                                  std::int32_t classes = 0) {
  tensor atom;
  atom.extents = extents;
  atom.type = type;
  atom.role = role;
  atom.classes = classes;
  model.tensors.push_back(atom);
  return static_cast<std::int32_t>(model.tensors.size()) - 1;
}

/// What is wrong with an input of a model.
constexpr problem check_input(const shape& extents, dtype type) {
  if (type == dtype::float64) {
    return refuse("an input of float32, int32 or uint8", name_of(type));
  }
  return check_extents(extents);
}

/// What is wrong with the types of inputs: few families read integers.
constexpr problem check_input_types(const graph& model, const family& rule,
                                    list_view<std::int32_t> inputs) {
  for (const std::int32_t input : inputs) {
    const dtype type = model.tensors[input].type;
    if (type != dtype::float32 && !rule.reads_integers) {
      return refuse("an input of float32", name_of(type),
                    type == dtype::uint8
                        ? "put Rescaling<1.0F / 255> before it"
                        : "put a layer before it that reads these, such as Embedding<1000, 8> "
                          "of words");
    }
  }
  return {};
}

/// What is wrong with where numbers stand among inputs that the host gives before a run.
constexpr problem check_run_values(const graph& model, const family& rule,
                                   list_view<std::int32_t> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const tensor& atom = model.tensors[inputs[i]];
    const bool is_value = atom.role == tensor_role::run_value;
    const bool wanted = i + static_cast<std::size_t>(rule.run_values) >= inputs.size();
    if (is_value && !wanted) {
      return refuse(label("a tensor of samples as input ") << i, label("the value ") << atom.name,
                    "a layer reads one if it says so: build.layer<ScaleByValue>(name, x, value)");
    }
    if (wanted && !is_value) {
      return refuse(label("a value of the run as input ") << i,
                    label("a tensor ") << describe(atom.extents),
                    "write build.value(\"temperature\", 1.0F)");
    }
  }
  return {};
}

/// What is wrong with a number of inputs.
constexpr problem check_inputs(const family& rule, std::size_t given) {
  if (rule.inputs == any_number || static_cast<std::size_t>(rule.inputs) == given) {
    return {};
  }
  const bool more = given > static_cast<std::size_t>(rule.inputs);
  return refuse(label() << rule.inputs << (rule.inputs == 1 ? " input" : " inputs"),
                label() << given, more ? "join them before it, with Add or Concatenate" : "");
}

/// Whether a sequence that lies in rows is one of steps in rows as well: rows of floats are padded.
constexpr bool steps_lie_in_rows(const tensor& sequence) {
  return sequence.type != dtype::float32 ||
         sequence.extents.elements() / sequence.extents[0] % widest_vector == 0;
}

/// The storage in which a node of a family reads its inputs: where the first lies that is padded.
constexpr storage storage_read(const graph& model, const family& rule,
                               list_view<std::int32_t> inputs) {
  for (const std::int32_t input : inputs) {
    const tensor& read = model.tensors[input];
    if (pads_positions(read.extents)) {
      const bool as_rows = rule.sees == sequence_view::steps_as_samples &&
                           read.lies == storage::rows && steps_lie_in_rows(read);
      return as_rows ? storage::rows : rule.reads.nearest(read.lies);
    }
  }
  return rule.reads.nearest(storage::rows);
}

/// Of a view between steps and samples: in positions that are padded one by one, unless a sample is
/// one of them.
constexpr storage storage_between(const tensor& made, storage read) {
  return read != storage::rows && pads_positions(made.extents) ? storage::positions : storage::rows;
}

/// Where the outputs of a node lie that reads its inputs in `read`. A view lies as what it views.
constexpr void choose_storage(graph& model, const family& rule, storage read,
                              std::size_t first_made) {
  for (std::size_t i = first_made; i < model.tensors.size(); ++i) {
    tensor& made = model.tensors[i];
    if (made.view_of >= 0 && rule.sees != sequence_view::none) {
      made.lies = storage_between(made, read);
    } else if (made.view_of >= 0) {
      made.lies = model.tensors[made.view_of].lies;
    } else if (made.producer >= 0 && pads_positions(made.extents)) {
      made.lies = rule.writes.nearest(read);
    }
  }
}

/// How many samples there are of the outputs of a node for each of the model, and whose steps.
constexpr void count_samples(graph& model, const family& rule, list_view<std::int32_t> inputs,
                             std::size_t first_made) {
  std::int32_t read = inputs.empty() ? -1 : inputs[0];
  // A compiler counts the steps, and most layers are at no step of anything.
  if (read < 0 || (rule.sees == sequence_view::none && model.tensors[read].steps_of < 0)) {
    return;
  }
  read = inputs.size() > 1 ? masked_steps_of(model, inputs) : read;
  const bool splits = rule.sees == sequence_view::steps_as_samples;
  const bool joins = rule.sees == sequence_view::samples_as_steps;
  const tensor like = model.tensors[joins ? model.tensors[read].steps_of : read];
  for (std::size_t i = first_made; i < model.tensors.size(); ++i) {
    tensor& made = model.tensors[i];
    if (made.producer >= 0 && per_sample(made)) {
      made.samples = splits ? like.samples * like.extents[0] : like.samples;
      made.steps_of = splits ? read : like.steps_of;
      made.mask = joins ? like.mask : made.mask;
    }
  }
}

/// What is wrong with an input, in the words of where it comes from: of a step of a sequence that
/// it is one; of a vector where a sequence is wanted what makes one of it.
constexpr problem told_of_steps(const graph& model, list_view<std::int32_t> inputs,
                                problem refused) {
  if (inputs.size() == 0) {
    return refused;
  }
  const tensor& given = model.tensors[inputs[0]];
  if (given.steps_of >= 0 && refused.got.view() == describe(given.extents).view()) {
    const shape& sequence = model.tensors[given.steps_of].extents;
    text<191> hint = "TimeDistributed takes each of the ";
    refused.hint = hint << sequence[0] << " steps of " << describe(sequence).view()
                        << " for itself";
    return refused;
  }
  const bool is_made_vector = given.extents.rank == 1 && given.producer >= 0;
  const std::string_view hint =
      is_made_vector ? model.nodes[given.producer].rule->sequence_hint : std::string_view();
  if (refused.wants_steps && !hint.empty()) {
    refused.hint = hint;
  }
  return refused;
}

/// Adds one node in `stage`, as part of `layer` (-1: of none), whose inputs lie in `read`, and
/// returns its problem, if any, without saying where. The outputs are the node's, in order. It uses
/// the parameters and states of the node `shares`, or has its own if that is -1, which start as
/// `starts` says.
constexpr problem add_node_reading(graph& model, const family& rule, const attributes& options,
                                   list_view<std::int32_t> inputs, storage read, std::int32_t stage,
                                   std::int32_t layer, std::int32_t shares, node_purpose purpose,
                                   list_view<initializer> starts) {
  const std::size_t first_made = model.tensors.size();
  node_draft draft(model, options, inputs, shares, starts);
  const problem found = rule.shapes(draft);
  if (found.found() || draft.fault().found()) {
    return told_of_steps(model, inputs, draft.fault().found() ? draft.fault() : found);
  }
  node made;
  made.rule = &rule;
  made.options = draft.chosen_options();
  made.purpose = purpose;
  made.layer = layer;
  made.stage = stage;
  made.first_operand = static_cast<std::int32_t>(model.operands.size());
  made.inputs = draft.append_inputs(model.operands);
  // The rule made them in any order; outputs have a producer, parameters and states none.
  for (std::size_t i = first_made; i < model.tensors.size(); ++i) {
    if (model.tensors[i].producer >= 0) {
      model.operands.push_back(static_cast<std::int32_t>(i));
      ++made.outputs;
    }
  }
  if (made.outputs == 0) {
    return refuse("a rule for shapes that adds an output", "none",
                  "write draft.output(extents) in it");
  }
  model.operands.append(draft.used());
  made.parameters = static_cast<std::int32_t>(draft.used().size());
  model.nodes.push_back(made);
  choose_storage(model, rule, read, first_made);
  count_samples(model, rule, inputs, first_made);
  return {};
}

/// The first output of the newest node.
constexpr std::int32_t newest_output(const graph& model) {
  return model.view().output_of(model.nodes.back(), 0);
}

/// Whether a tensor lies otherwise than it is wanted.
constexpr bool lies_otherwise(const graph& model, std::int32_t index, storage wanted) {
  const tensor& atom = model.tensors[index];
  return atom.lies != wanted && pads_positions(atom.extents);
}

/// What was laid out anew as `input`, if it was and lay in `wanted` before; otherwise -1.
constexpr std::int32_t laid_out_before(const graph& model, std::int32_t input, storage wanted) {
  const std::int32_t producer = model.tensors[input].producer;
  if (producer < 0 || !model.nodes[producer].rule->lays_out) {
    return -1;
  }
  const std::int32_t before = model.view().input_of(model.nodes[producer], 0);
  return lies_otherwise(model, before, wanted) ? -1 : before;
}

/// The tensor with the elements of `input` that lies in `wanted`: itself, what it was laid out
/// from, or that of a node which is added to lay it out anew.
constexpr std::int32_t laid_out(graph& model, std::int32_t input, storage wanted,
                                std::int32_t stage, std::int32_t layer) {
  if (!lies_otherwise(model, input, wanted)) {
    return input;
  }
  const std::int32_t before = laid_out_before(model, input, wanted);
  if (before >= 0) {
    return before;
  }
  const bool to_rows = wanted == storage::rows;
  const family& rule = to_rows ? to_rows_family : to_positions_family;
  const storage read = to_rows ? storage::positions : storage::rows;
  const std::int32_t inputs[] = {input};
  // It takes any shape.
  static_cast<void>(
      add_node_reading(model, rule, {}, inputs, read, stage, layer, -1, node_purpose::layer, {}));
  pass_mask(model, model.tensors[input].mask);
  return newest_output(model);
}

/// Adds a node as `add_node` does, which reads these inputs and no others; one that reads masks is
/// told by the last.
constexpr problem add_unmasked(graph& model, const family& rule, const attributes& options,
                               list_view<std::int32_t> inputs, std::int32_t stage,
                               std::int32_t layer, std::int32_t shares, node_purpose purpose,
                               list_view<initializer> starts) {
  const bool told = rule.reads_mask && !inputs.empty() && model.tensors[inputs.back()].is_mask;
  problem unfit = check_inputs(rule, inputs.size() - (told ? 1 : 0));
  if (!unfit.found()) {
    unfit = check_input_types(model, rule, inputs);
  }
  if (!unfit.found()) {
    unfit = check_run_values(model, rule, inputs);
  }
  if (unfit.found()) {
    return unfit;
  }
  const storage wanted = storage_read(model, rule, inputs);
  bool as_wanted = true;
  for (const std::int32_t input : inputs) {
    as_wanted = as_wanted && !lies_otherwise(model, input, wanted);
  }
  if (as_wanted) {
    return add_node_reading(model, rule, options, inputs, wanted, stage, layer, shares, purpose,
                            starts);
  }
  list<std::int32_t> read;
  for (const std::int32_t input : inputs) {
    read.push_back(laid_out(model, input, wanted, stage, layer));
  }
  return add_node_reading(model, rule, options, read, wanted, stage, layer, shares, purpose,
                          starts);
}

/// Adds the node that makes one mask of those of all inputs, which are several.
constexpr problem add_joined_mask(graph& model, const mask_join& join,
                                  list_view<std::int32_t> inputs, std::int32_t stage,
                                  std::int32_t layer) {
  problem found = check_join(model, join, inputs);
  if (found.found()) {
    return found;
  }
  list<std::int32_t> masks;
  for (const std::int32_t input : inputs) {
    if (model.tensors[input].mask >= 0) {
      masks.push_back(model.tensors[input].mask);
    }
  }
  found = add_node_reading(model, *join.rule, join.options, masks, storage::rows, stage, layer, -1,
                           node_purpose::layer, {});
  if (!found.found()) {
    model.tensors[newest_output(model)].is_mask = true;
  }
  return found;
}

/// The mask of a layer of inputs of which one at least has this: that, or one that is added, of
/// all. Or what is wrong with it.
constexpr problem join_masks(graph& model, const family& rule, const attributes& options,
                             list_view<std::int32_t> inputs, std::int32_t stage, std::int32_t layer,
                             std::int32_t& mask) {
  const mask_join join = rule.join_masks(options, model.tensors[inputs[0]].extents);
  bool several = join.takes_steps;
  for (const std::int32_t input : inputs) {
    const std::int32_t own = model.tensors[input].mask;
    several = several || (own >= 0 && own != mask);
  }
  if (!several) {
    return {};
  }
  const problem found = add_joined_mask(model, join, inputs, stage, layer);
  mask = found.found() ? mask : newest_output(model);
  return found;
}

/// Adds a node as `add_node` does, of whose inputs one at least has a mask.
constexpr problem add_masked(graph& model, const family& rule, const attributes& options,
                             list_view<std::int32_t> inputs, std::int32_t stage, std::int32_t layer,
                             std::int32_t shares, list_view<initializer> starts) {
  if ((!rule.passes_mask && !rule.reads_mask) || masks_beside(model, rule, options, inputs)) {
    return loses_mask(rule.describe(rule, options));
  }
  const list_view<std::int32_t> masked = masked_inputs(rule, options, inputs);
  std::int32_t mask = mask_of(model, masked);
  const bool joins = mask >= 0 && (rule.passes_mask || rule.reads_mask_of_others);
  const problem unjoined =
      joins ? join_masks(model, rule, options, masked, stage, layer, mask) : problem();
  list<std::int32_t> read;
  read.append(inputs);
  if (rule.reads_mask && mask >= 0) {
    read.push_back(mask);
  }
  const problem found =
      add_unmasked(model, rule, options, read, stage, layer, shares, node_purpose::layer, starts);
  // What does not fit in shape is said of the layer first.
  if (found.found() || unjoined.found()) {
    return found.found() ? found : unjoined;
  }
  pass_mask(model, rule.reads_mask_of_others ? model.tensors[inputs[0]].mask : mask);
  // Of other steps than before, side by side, say.
  const bool lost = rule.passes_mask && model.tensors[newest_output(model)].mask < 0;
  return lost ? loses_mask(rule.describe(rule, options)) : found;
}

/// Adds one node in `stage`, as part of `layer` (-1: of none), and before it what lays out its
/// inputs as its family reads them; returns its problem, if any, without saying where.
constexpr problem add_node(graph& model, const family& rule, const attributes& options,
                           list_view<std::int32_t> inputs, std::int32_t stage, std::int32_t layer,
                           std::int32_t shares = -1, node_purpose purpose = node_purpose::layer,
                           list_view<initializer> starts = {}) {
  if (inputs.size() > 1 && model.tensors[inputs[0]].steps_of >= 0) {
    const problem unfit = check_masks_of_steps(model, inputs);
    if (unfit.found()) {
      return unfit;
    }
  }
  // Of its own steps no sample is told: those of the sequence have their mask behind it.
  const bool masked = purpose == node_purpose::layer && mask_of(model, inputs) >= 0 &&
                      rule.sees != sequence_view::steps_as_samples;
  return masked ? add_masked(model, rule, options, inputs, stage, layer, shares, starts)
                : add_unmasked(model, rule, options, inputs, stage, layer, shares, purpose, starts);
}

/// Outputs of a node that a user sees: not those that say which steps there are.
constexpr std::int32_t visible_outputs(const graph_view& model, const node& of) {
  std::int32_t count = 0;
  for (std::int32_t i = 0; i < of.outputs; ++i) {
    count += model.at(model.output_of(of, i)).is_mask ? 0 : 1;
  }
  return count;
}

/// Lets the newest node's own parameters have what their layer asks of them, if it does.
constexpr void ask_of_parameters(graph& model, const weight_rules* wanted) {
  if (is_null(wanted)) {
    return;
  }
  const auto newest = static_cast<std::int32_t>(model.nodes.size()) - 1;
  for (tensor& atom : model.tensors) {
    for (const weight_rules::entry& each : wanted->entries) {
      if (atom.owner == newest && atom.name == each.parameter && each.rules.any()) {
        atom.rules = &each.rules;
      }
    }
  }
}

/// The tensor `made` becomes an output of the model: it is handed out in rows, and what lays it out
/// belongs to the newest layer.
constexpr void hand_out(graph& model, std::int32_t made) {
  if (model.fault.found() || made < 0 || model.layers.empty()) {
    return;
  }
  const dtype type = model.tensors[made].type;
  if (type != dtype::float32) {
    model.fault = refuse("an output of float32", name_of(type));
    model.fault.where = "output";
    return;
  }
  const graph_view before = model.view();
  const std::int32_t producer = before.at(made).producer;
  const std::int32_t maker = producer < 0 ? -1 : before.node_at(producer).layer;
  const auto newest = static_cast<std::int32_t>(model.layers.size()) - 1;
  const std::int32_t handed = laid_out(model, made, storage::rows, before.stage_of(made), newest);
  model.layers.back().nodes += static_cast<std::int32_t>(model.nodes.size() - before.nodes.size());
  model.outputs.push_back({handed, maker});
}

/// Nothing of the newest node learns.
constexpr void freeze_newest(graph& model) {
  node& newest = model.nodes.back();
  newest.frozen = true;
  for (std::int32_t own = 0; own < newest.parameters; ++own) {
    model.tensors[model.view().parameter_of(newest, own)].trainable = false;
  }
}

/// Said of so many outputs where one tensor goes on.
constexpr problem not_single_output(std::size_t outputs, std::string_view hint = {}) {
  return refuse("a layer of 1 output", label() << outputs << " outputs",
                text<191>("take all in a functional model: build.layers<Layer, ")
                    << outputs << ">(...)" << (hint.empty() ? "" : "; ") << hint);
}

/// What is wrong with so many tensors for all outputs of a layer.
constexpr problem not_all_outputs(std::size_t taken, std::size_t outputs, std::string_view hint) {
  if (taken == 1) {
    return not_single_output(outputs, hint);
  }
  text<191> written = outputs == 1 ? text<191>("write build.layer<Layer>(...)")
                                   : text<191>("write build.layers<Layer, ") << outputs << ">(...)";
  written << (hint.empty() ? "" : "; ") << hint;
  return refuse(label() << taken << " outputs", label() << outputs, written);
}

/// What the layers of an element say of their outputs, of the first that says something.
constexpr std::string_view outputs_hint_of(const element& piece) {
  std::string_view found = is_null(piece.rule) ? "" : piece.rule->outputs_hint;
  for (const element* part : piece.parts) {
    found = found.empty() ? outputs_hint_of(*part) : found;
  }
  return found;
}

/// Where one tensor goes on, the newest node must make no more.
constexpr problem check_single_output(const graph& model) {
  const std::int32_t outputs = visible_outputs(model.view(), model.nodes.back());
  return outputs == 1 ? problem()
                      : not_single_output(static_cast<std::size_t>(outputs),
                                          model.nodes.back().rule->outputs_hint);
}

/// What is wrong with the sum that ends a residual, of two tensors, is what is wrong with its
/// layers: their shape.
constexpr problem said_of(const element& piece, problem refused) {
  if (piece.kind == element_kind::residual) {
    refused.hint = "only equal shapes are added: a residual ends in the shape that it starts with";
  }
  return refused;
}

}  // namespace ipu_dsl
