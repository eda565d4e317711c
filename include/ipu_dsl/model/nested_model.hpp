// SPDX-License-Identifier: MIT
// A model as a layer of another: its layers, on what the other gives them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/builder.hpp>

namespace ipu_dsl {

/// How many layers an element becomes.
constexpr std::size_t count_layers(const element& piece) {
  std::size_t count = is_null(piece.followed_by) ? 1 : 2;
  count += is_null(piece.nested) ? 0 : piece.nested->layers.size();
  for (const element* part : piece.parts) {
    count += count_layers(*part);
  }
  return count;
}

/// Adds the layers of a model, the element of `place`, to the graph in which it is a layer. What is
/// wrong is the graph's fault, and then nothing more is added.
class nested_model {
 public:
  /// `place` says as what, and in which stage, the model stands; where it shares, the first layer
  /// of the first call. `frozen` if nothing in it learns.
  constexpr nested_model(graph& made, const layer_record& place, bool frozen)
      : made_(&made), inner_(place.source->nested), place_(place), frozen_(frozen) {}

  /// Reads these tensors of the graph as the inputs of the model; returns its outputs.
  constexpr list<std::int32_t> add(list_view<std::int32_t> inputs) {
    list<std::int32_t> outputs;
    refuse_unfit(inputs);
    if (failed()) {
      return outputs;
    }
    tensors_.resize(inner_->tensors.size(), -1);
    first_layer_ = static_cast<std::int32_t>(made_->layers.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      tensors_[inner_->find(tensor_role::input, static_cast<std::int32_t>(i))] = inputs[i];
    }
    for (const layer_record& layer : inner_->layers) {
      add_layer(layer);
    }
    for (const model_output& output : inner_->outputs) {
      outputs.push_back(failed() ? -1 : tensors_[output.tensor]);
    }
    return outputs;
  }

 private:
  constexpr bool failed() const { return made_->fault.found(); }

  constexpr void fail(const label& where, const problem& found) {
    if (!failed() && found.found()) {
      made_->fault = found;
      made_->fault.where = where;
    }
  }

  /// The model itself may be wrong, or not what can stand here.
  constexpr void refuse_unfit(list_view<std::int32_t> inputs) {
    const problem& own = *place_.source->fault;
    const label where = where_is(place_);
    if (own.found()) {
      fail(label() << describe_bare(*place_.source) << ", " << own.where, own);
    } else if (place_.depth + depth_of(*inner_) >= most_nested_models) {
      fail(where, refuse(label("models in models, at most ") << most_nested_models << " deep",
                         "one more"));
    } else if (inner_->stages > 1) {
      fail(where, refuse("a model of one stage in another", label() << inner_->stages << " stages",
                         "the outermost model says which stages there are: split_at<...> cuts it "
                         "behind a layer of this one as well"));
    } else if (inner_->count(tensor_role::run_value) > 0) {
      fail(where, refuse("a model without values in another", "build.value(...) in it",
                         "give it an input in place of the value"));
    } else {
      fail(where, check_inputs_of(inputs));
    }
  }

  static constexpr std::int32_t depth_of(const graph_view& model) {
    std::int32_t deepest = 0;
    for (const layer_record& layer : model.layers) {
      deepest = layer.depth > deepest ? layer.depth : deepest;
    }
    return deepest;
  }

  /// Whether an input of the model, which is asked for, is given here. Of a sequence that is given
  /// a step at a time it is one step.
  constexpr bool is_given(const tensor& asked, const tensor& given) const {
    shape step = asked.extents;
    step.extents[0] = 1;
    const bool fits =
        asked.extents == given.extents ||
        (made_->by_step && given.steps_of < 0 && asked.extents.rank > 0 && step == given.extents);
    return fits && asked.type == given.type;
  }

  constexpr problem check_inputs_of(list_view<std::int32_t> inputs) const {
    const std::int32_t wanted = inner_->count(tensor_role::input);
    if (wanted != static_cast<std::int32_t>(inputs.size())) {
      return refuse(
          how_many(wanted, "input"), label() << inputs.size(),
          wanted > 1 && inputs.size() == 1
              ? "a list of layers goes on with one tensor: call it in a functional model, "
                "build.layer<Model>(\"\", a, b), or in TimeDistributed<Model>"
              : "");
    }
    for (std::int32_t i = 0; i < wanted; ++i) {
      const tensor& asked = inner_->at(inner_->find(tensor_role::input, i));
      const tensor& given = made_->tensors[inputs[i]];
      if (!is_given(asked, given)) {
        return refuse(label("its input, ")
                          << describe(asked.extents) << " of " << name_of(asked.type),
                      label() << describe(given.extents) << " of " << name_of(given.type));
      }
    }
    return {};
  }

  /// The model's layer as one of the outer model.
  constexpr layer_record record_of(const layer_record& layer) const {
    layer_record record = layer;
    record.stage = place_.stage;
    record.first_node = static_cast<std::int32_t>(made_->nodes.size());
    for (std::int32_t i = 0; i < place_.depth; ++i) {
      record.within[i] = place_.within[i];
    }
    record.within[place_.depth] = {.name = place_.name,
                                   .scope = place_.scope,
                                   .kind = "model",
                                   .number = place_.number,
                                   .part = place_.part};
    for (std::int32_t i = 0; i < layer.depth; ++i) {
      record.within[place_.depth + 1 + i] = layer.within[i];
    }
    record.depth = place_.depth + 1 + layer.depth;
    if (place_.shares >= 0) {
      record.shares =
          place_.shares + static_cast<std::int32_t>(made_->layers.size()) - first_layer_;
    } else if (layer.shares >= 0) {
      record.shares = first_layer_ + layer.shares;
    }
    return record;
  }

  constexpr void add_layer(const layer_record& layer) {
    layer_record record = record_of(layer);
    const element* piece = layer.source;
    for (std::int32_t i = 0; i < layer.nodes; ++i) {
      const node& inner = inner_->node_at(layer.first_node + i);
      if (failed()) {
        return;
      }
      // Masks are joined anew, by what stands around them here.
      if (inner_->at(inner_->output_of(inner, 0)).is_mask) {
        continue;
      }
      // So follows how tensors lie.
      if (inner.rule->lays_out) {
        tensors_[inner_->output_of(inner, 0)] = tensors_[inner_->input_of(inner, 0)];
      } else {
        add_one(inner, *piece, record);
        // Of several inputs what stands at every step has a node each.
        piece = is_null(piece->followed_by) ? piece : piece->followed_by;
      }
    }
    record.nodes = static_cast<std::int32_t>(made_->nodes.size()) - record.first_node;
    record.output = failed() ? -1 : tensors_[layer.output];
    made_->layers.push_back(record);
  }

  constexpr void add_one(const node& inner, const element& piece, const layer_record& record) {
    list<std::int32_t> inputs;
    for (std::int32_t i = 0; i < inner.inputs; ++i) {
      const std::int32_t read = inner_->input_of(inner, i);
      // Masks are found anew.
      if (!inner_->at(read).is_mask) {
        inputs.push_back(tensors_[read]);
      }
    }
    const std::int32_t shares = made_->view().shared_node(record, *piece.rule);
    const problem refused = add_node(*made_, *piece.rule, piece.options, inputs, place_.stage,
                                     static_cast<std::int32_t>(made_->layers.size()), shares,
                                     node_purpose::layer, piece.starts);
    fail(where_is(record), refused);
    if (failed()) {
      return;
    }
    ask_of_parameters(*made_, piece.weights);
    if (frozen_ || inner.frozen) {
      freeze_newest(*made_);
    }
    for (std::int32_t i = 0; i < inner.outputs; ++i) {
      tensors_[inner_->output_of(inner, i)] = made_->view().output_of(made_->nodes.back(), i);
    }
  }

  graph* made_;
  const graph_view* inner_;
  layer_record place_;
  bool frozen_;
  std::int32_t first_layer_ = 0;  ///< of the model's, in the graph around it
  list<std::int32_t> tensors_;    ///< by the model's tensor that of the graph around it
};

}  // namespace ipu_dsl
