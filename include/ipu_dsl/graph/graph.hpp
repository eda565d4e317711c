// SPDX-License-Identifier: MIT
// A model as a value: tensors, nodes, layers.
// Over 300 lines: the values that every room reads, and their questions.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/source_form.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/tensor.hpp>

namespace ipu_dsl {

/// What a node is for. A loss is where gradients begin; a metric has none.
enum class node_purpose : std::uint8_t {
  layer,
  loss,
  penalty,  ///< of what a layer puts out
  metric
};

/// Whether what a node counts is part of what is minimised.
constexpr bool is_minimised(node_purpose purpose) {
  return purpose == node_purpose::loss || purpose == node_purpose::penalty;
}

/// One operation. Its operands are tensors: inputs, then outputs, then parameters and states, its
/// own or another node's, one after the other in `graph_view::operands` from `first_operand` on.
struct node {
  const family* rule = nullptr;
  attributes options;
  node_purpose purpose = node_purpose::layer;
  std::int32_t judged =
      -1;               ///< of a loss or a metric: which output of the model; -1: that of a layer
  float weight = 1;     ///< of a loss: what it counts in the sum of all
  bool frozen = false;  ///< its parameters do not learn
  std::int32_t layer = -1;
  std::int32_t stage = 0;
  std::int32_t first_operand = 0;
  std::int32_t inputs = 0;
  std::int32_t outputs = 0;
  std::int32_t parameters = 0;
};

/// A layer of a model by what it is called there.
struct layer_place {
  std::string_view name = {};   ///< given by `named`, or empty
  std::string_view scope = {};  ///< the name of what it is a part of, or empty
  std::string_view kind = {};   ///< "Dense", "residual", "model"
  std::int32_t number = 0;      ///< counts what stands in stages or the outermost sequence, from 0
  std::int32_t part = -1;       ///< within a residual or a branch: counts its layers from 0
};

/// How deep models may stand in models.
inline constexpr std::int32_t most_nested_models = 3;

/// What the user listed, in the order in which it was listed. A layer may have become several
/// nodes. Those of a model that is a layer of another are layers of that as well.
struct layer_record {
  const element* source = nullptr;
  std::string_view name;        ///< given by `named`, or empty
  std::string_view scope = {};  ///< the name of what it is a part of, or empty
  std::int32_t number = 0;      ///< see `layer_place`, in the innermost model
  std::int32_t part = -1;       ///< the same
  std::int32_t stage = 0;
  std::int32_t first_node = 0;
  std::int32_t nodes = 0;
  std::int32_t output = -1;  ///< the tensor that it hands on
  std::int32_t shares = -1;  ///< the layer whose parameters and states it uses; -1: its own
  std::int32_t depth = 0;    ///< how many models it stands in, but for the outermost
  layer_place within[most_nested_models] = {};  ///< these, the outermost of them first
};

/// The number of what the outermost model lists: of the layer, or of the model that it is part of.
constexpr std::int32_t listed_number(const layer_record& layer) {
  return layer.depth > 0 ? layer.within[0].number : layer.number;
}

/// The name of the same.
constexpr std::string_view listed_name(const layer_record& layer) {
  return layer.depth > 0 ? layer.within[0].name : layer.name;
}

/// Whether two layers are of one model that is a layer of the outermost.
constexpr bool in_same_model(const layer_record& left, const layer_record& right) {
  return left.depth > 0 && right.depth > 0 && left.within[0].number == right.within[0].number &&
         left.within[0].part == right.within[0].part;
}

/// What a model hands out: predict gives it, losses and metrics judge it.
struct model_output {
  std::int32_t tensor = -1;
  std::int32_t layer = -1;  ///< which makes it, and after which it is called
};

/// What a layer is called after, without its element, whose family's rules nothing that runs may
/// point to.
struct layer_title {
  layer_place own;
  std::int32_t depth = 0;                       ///< see `layer_record`
  layer_place within[most_nested_models] = {};  ///< see `layer_record`
};

/// What a layer without a name is called: its kind in small letters and its number, "dense_1",
/// within a residual "dense_3_0", within a residual named block "block_0".
constexpr text<191> automatic_name(const layer_place& layer) {
  text<191> called;
  if (!layer.scope.empty()) {
    called << layer.scope << "_" << layer.part;
    return called;
  }
  for (const char letter : layer.kind) {
    const char lowered =
        letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    called << std::string_view(&lowered, 1);
  }
  called << "_" << layer.number;
  if (layer.part >= 0) {
    called << "_" << layer.part;
  }
  return called;
}

/// The name that it was given, or that of a layer without one.
constexpr text<191> name_of(const layer_place& layer) {
  return layer.name.empty() ? automatic_name(layer) : text<191>(layer.name);
}

/// How a layer of the outermost model is called in it: "encoder/dense_0" where it is a layer of the
/// model that is named encoder there.
constexpr text<191> full_name(const layer_title& layer) {
  text<191> called;
  for (std::int32_t i = 0; i < layer.depth; ++i) {
    called << name_of(layer.within[i]).view() << "/";
  }
  return called << name_of(layer.own).view();
}

/// Of a layer's record, for the compiler: it reads the element.
constexpr layer_title title_of(const layer_record& layer) {
  const element& source = *layer.source;
  // A residual and a concatenation are called so, not by the node that joins their parts.
  const std::string_view combinator =
      source.kind == element_kind::foreign ? source.name : source.combinator;
  layer_title title{
      .own = {.name = layer.name,
              .scope = layer.scope,
              .kind = source.kind == element_kind::layer ? source.rule->name : combinator,
              .number = layer.number,
              .part = layer.part},
      .depth = layer.depth};
  for (std::int32_t i = 0; i < layer.depth; ++i) {
    title.within[i] = layer.within[i];
  }
  return title;
}

/// "layer 1", then what it is, then where it stands. Of a long one what it is is cut off, with
/// dots.
constexpr label place_of(std::int32_t number, std::int32_t part, const label& what,
                         const label& behind) {
  label words = "layer ";
  words << number;
  if (part >= 0) {
    words << "." << part;
  }
  words << (what.empty() ? "" : " ");
  const std::size_t taken = words.length + behind.length;
  const std::size_t room = taken < label::capacity ? label::capacity - taken : 0;
  if (what.length <= room) {
    words << what;
  } else if (room > 3) {
    words << what.view().substr(0, room - 3) << "...";
  }
  return words << behind;
}

/// "layer 1 Dense<256>", with the name where one was given, and the stage.
constexpr label where_is(const layer_record& layer) {
  label behind;
  if (!layer.name.empty()) {
    behind << " named " << layer.name;
  }
  for (std::int32_t i = layer.depth - 1; i >= 0; --i) {
    behind << " of " << name_of(layer.within[i]).view();
  }
  behind << " in stage " << layer.stage;
  return place_of(layer.number, layer.part, describe(*layer.source), behind);
}

/// A whole model, read only. Tensors are numbered in order of creation, nodes in order of
/// execution.
struct graph_view {
  list_view<tensor> tensors;
  list_view<node> nodes;
  list_view<std::int32_t> operands;
  list_view<layer_record> layers;
  list_view<model_output> outputs;
  std::int32_t stages = 1;

  /// The tensor of role `role` that was added as number `number` of them, counted from 0; -1 if
  /// there are not so many. Inputs and results are found so.
  constexpr std::int32_t find(tensor_role role, std::int32_t number = 0) const {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].role == role && number-- == 0) {
        return static_cast<std::int32_t>(i);
      }
    }
    return -1;
  }

  /// The input, target or weight that a feed fills as number `number` of its role: targets and
  /// weights in the order of the outputs that they are told of, whatever judges these. -1 if there
  /// are not so many.
  constexpr std::int32_t source(tensor_role role, std::int32_t number) const {
    if (role == tensor_role::input) {
      return find(role, number);
    }
    for (const model_output& output : outputs) {
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].role == role && tensors[i].target_of == output.tensor && number-- == 0) {
          return static_cast<std::int32_t>(i);
        }
      }
    }
    return -1;
  }

  /// How many tensors have a role.
  constexpr std::int32_t count(tensor_role role) const {
    std::int32_t found = 0;
    for (const tensor& atom : tensors) {
      found += atom.role == role ? 1 : 0;
    }
    return found;
  }

  /// The first input.
  constexpr const tensor& input() const { return at(find(tensor_role::input)); }

  /// The node of the first loss; null without one.
  constexpr const node* loss() const {
    for (const node& here : nodes) {
      if (here.purpose == node_purpose::loss) {
        return &here;
      }
    }
    return nullptr;
  }

  constexpr std::int32_t input_of(const node& here, std::int32_t index) const {
    return operands[here.first_operand + index];
  }

  constexpr std::int32_t output_of(const node& here, std::int32_t index) const {
    return operands[here.first_operand + here.inputs + index];
  }

  constexpr std::int32_t parameter_of(const node& here, std::int32_t index) const {
    return operands[here.first_operand + here.inputs + here.outputs + index];
  }

  /// Where in `operands` that stands: a use of the parameter.
  constexpr std::int32_t use_of(const node& here, std::int32_t index) const {
    return here.first_operand + here.inputs + here.outputs + index;
  }

  /// The node whose operand stands at a position.
  constexpr const node& node_of_use(std::int32_t position) const {
    std::size_t found = nodes.size() - 1;
    while (nodes[found].first_operand > position) {
      --found;
    }
    return nodes[found];
  }

  /// The output that a layer of this name makes; of a model with one output also that. -1 if there
  /// is none.
  constexpr std::int32_t find_output(std::string_view name) const {
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(outputs.size()); ++i) {
      if (!name.empty() && name_of_output(i) == name) {
        return i;
      }
    }
    return name.empty() && outputs.size() == 1 ? 0 : -1;
  }

  /// The tensor of an output.
  constexpr std::int32_t output(std::int32_t number) const { return outputs[number].tensor; }

  /// The name that the layer which makes an output was given, or empty; where a model is that
  /// layer, the model's.
  constexpr std::string_view name_of_output(std::int32_t number) const {
    const std::int32_t layer = outputs[number].layer;
    return layer < 0 ? std::string_view() : listed_name(layers[layer]);
  }

  /// The stage in which a tensor is computed; what comes from the feed is there from the first on.
  constexpr std::int32_t stage_of(std::int32_t index) const {
    return at(index).producer < 0 ? 0 : node_at(at(index).producer).stage;
  }

  /// The number of the node of a layer that is of a family; others beside it lay out what it reads.
  constexpr std::int32_t node_of(const layer_record& layer, const family& rule) const {
    std::int32_t found = layer.first_node;
    while (!same_address(nodes[found].rule, &rule)) {
      ++found;
    }
    return found;
  }

  /// The node of this family whose parameters a node of a layer uses, or -1.
  constexpr std::int32_t shared_node(const layer_record& layer, const family& rule) const {
    return layer.shares < 0 ? -1 : node_of(layers[layer.shares], rule);
  }

  constexpr const tensor& at(std::int32_t index) const { return tensors[index]; }

  constexpr const node& node_at(std::int32_t index) const { return nodes[index]; }

  /// The layer of a node, for a message; for what stands behind all layers its family's name.
  constexpr label place_of(const node& here) const {
    if (here.layer < 0) {
      return here.rule->name;
    }
    return where_is(layers[here.layer]);
  }

  /// What a tensor was before it was laid out anew, or itself.
  constexpr std::int32_t as_it_was_made(std::int32_t index) const {
    std::int32_t producer = at(index).producer;
    while (producer >= 0 && node_at(producer).rule->lays_out) {
      index = input_of(node_at(producer), 0);
      producer = at(index).producer;
    }
    return index;
  }

  /// The tensor that holds the elements: follows views of views.
  constexpr std::int32_t storage_of(std::int32_t index) const {
    while (at(index).view_of >= 0) {
      index = at(index).view_of;
    }
    return index;
  }
};

/// What a feed fills, in its order: the inputs of a model, and what its losses and metrics are
/// told, targets before weights.
constexpr list<std::int32_t> sources_of(const graph_view& model, bool with_targets) {
  list<std::int32_t> found;
  list<std::int32_t> told;
  const tensor* const atoms = model.tensors.data();
  const auto count = static_cast<std::int32_t>(model.tensors.size());
  // One pass: a compiler counts the steps, and most tensors are none of these.
  for (std::int32_t i = 0; i < count; ++i) {
    if (atoms[i].role <= tensor_role::weight) {
      (atoms[i].role == tensor_role::input ? found : told).push_back(i);
    }
  }
  for (const tensor_role role : {tensor_role::target, tensor_role::weight}) {
    for (const model_output& output : model.outputs) {
      for (std::int32_t& each : told) {
        const bool next = with_targets && each >= 0 && atoms[each].role == role &&
                          atoms[each].target_of == output.tensor;
        if (next) {
          found.push_back(each);
          each = -1;
        }
      }
    }
  }
  return found;
}

/// A graph while it grows. `fault` is the first thing wrong; nothing is added after it.
struct graph {
  list<tensor> tensors;
  list<node> nodes;
  list<std::int32_t> operands;
  list<layer_record> layers;
  list<model_output> outputs;
  std::int32_t stages = 1;
  bool automatic = false;  ///< the layers' stages are still to be chosen; all stand in stage 0
  bool by_step = false;    ///< of sequences there is one step, of layers that were made for all
  problem fault;

  constexpr graph_view view() const {
    return {.tensors = {tensors.data(), tensors.size()},
            .nodes = {nodes.data(), nodes.size()},
            .operands = {operands.data(), operands.size()},
            .layers = {layers.data(), layers.size()},
            .outputs = {outputs.data(), outputs.size()},
            .stages = stages};
  }
};

/// A graph in static storage, its arrays of exactly the sizes that it needs.
template <std::size_t Tensors, std::size_t Nodes, std::size_t Operands, std::size_t Layers>
struct frozen_graph {
  tensor tensors[Tensors + 1] = {};
  node nodes[Nodes + 1] = {};
  std::int32_t operands[Operands + 1] = {};
  layer_record layers[Layers + 1] = {};
  model_output outputs[most_outputs] = {};
  std::size_t output_count = 0;
  std::int32_t stages = 1;
  bool automatic = false;
  bool by_step = false;
  problem fault;

  constexpr frozen_graph() = default;

  constexpr explicit frozen_graph(const graph& source)
      : output_count(source.outputs.size()),
        stages(source.stages),
        automatic(source.automatic),
        by_step(source.by_step),
        fault(source.fault) {
    for (std::size_t i = 0; i < Tensors; ++i) {
      tensors[i] = source.tensors[i];
    }
    for (std::size_t i = 0; i < Nodes; ++i) {
      nodes[i] = source.nodes[i];
    }
    for (std::size_t i = 0; i < Operands; ++i) {
      operands[i] = source.operands[i];
    }
    for (std::size_t i = 0; i < Layers; ++i) {
      layers[i] = source.layers[i];
    }
    for (std::size_t i = 0; i < output_count; ++i) {
      outputs[i] = source.outputs[i];
    }
  }

  constexpr graph_view view() const {
    return {.tensors = {tensors, Tensors},
            .nodes = {nodes, Nodes},
            .operands = {operands, Operands},
            .layers = {layers, Layers},
            .outputs = {outputs, output_count},
            .stages = stages};
  }

  /// A copy that can grow.
  constexpr graph thawed() const {
    graph made;
    made.tensors.append({tensors, Tensors});
    made.nodes.append({nodes, Nodes});
    made.operands.append({operands, Operands});
    made.layers.append({layers, Layers});
    made.outputs.append({outputs, output_count});
    made.stages = stages;
    made.automatic = automatic;
    made.by_step = by_step;
    made.fault = fault;
    return made;
  }
};

}  // namespace ipu_dsl
