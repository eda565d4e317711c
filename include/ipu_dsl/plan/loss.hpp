// SPDX-License-Identifier: MIT
// Losses, penalties of outputs, and metrics as the last nodes of a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/plan/reported_names.hpp>
#include <ipu_dsl/vocabulary/activity_penalty.hpp>
#include <ipu_dsl/vocabulary/sample_weights.hpp>

namespace ipu_dsl {

/// The names of a model's outputs for a sentence: "logits, price".
constexpr label names_of_outputs(const graph_view& model) {
  label names;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(model.outputs.size()); ++i) {
    const std::string_view name = model.name_of_output(i);
    names << (i == 0 ? "" : ", ") << (name.empty() ? "one without a name" : name);
  }
  return names;
}

/// What is wrong with the output that a loss or a metric names.
constexpr problem check_judged(const graph_view& model, const result_choice& judge) {
  problem found;
  if (model.find_output(judge.output) < 0) {
    found = judge.output.empty()
                ? refuse("for_output<...>, which says what is judged",
                         label() << model.outputs.size() << " outputs: " << names_of_outputs(model),
                         "write for_output<\"the layer that makes it\", ...>")
                : refuse("the name of a layer that makes an output", judge.output,
                         text<191>("the model's outputs: ") << names_of_outputs(model));
    found.where = judge.rule->name;
  }
  return found;
}

/// What is wrong with weights of a sample or its positions, where an output is judged.
constexpr problem check_weighed(const shape& output, weighed what) {
  if (what != weighed::positions || output.rank > 1) {
    return {};
  }
  return refuse(
      "position_weights of an output of positions, (steps, features)", describe(output),
      "if each step is to be judged, the recurrent layer wants return_sequences<true>; else "
      "write sample_weights, one number for each sample");
}

/// How many weights a sample of an output has: one, or one for each position.
constexpr shape shape_of_weights(const shape& output, weighed what) {
  shape found;
  for (std::int32_t axis = 0; what == weighed::positions && axis + 1 < output.rank; ++axis) {
    found.extents[axis] = output[axis];
    ++found.rank;
  }
  return found;
}

/// The weights of the samples of an output, if another that judges it asked for them; otherwise -1.
constexpr std::int32_t known_weights(const graph& model, std::int32_t judged) {
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    const tensor& atom = model.tensors[i];
    if (atom.role == tensor_role::weight && atom.target_of == judged) {
      return static_cast<std::int32_t>(i);
    }
  }
  return -1;
}

/// Another input of the newest node, behind those that it has.
constexpr void append_input(graph& model, std::int32_t read) {
  node& newest = model.nodes.back();
  const auto place = static_cast<std::size_t>(newest.first_operand + newest.inputs);
  model.operands.push_back(read);
  for (std::size_t i = model.operands.size() - 1; i > place; --i) {
    model.operands[i] = model.operands[i - 1];
  }
  model.operands[place] = read;
  ++newest.inputs;
}

/// The newest node, which judges the tensor `judged`, is told as its last input what samples count.
/// All that judge one output are told the same.
constexpr problem attach_weights(graph& model, std::int32_t judged, weighed what) {
  if (what == weighed::nothing) {
    return {};
  }
  const shape output = model.tensors[judged].extents;
  const shape wanted = shape_of_weights(output, what);
  std::int32_t weights = known_weights(model, judged);
  problem found = check_weighed(output, what);
  if (!found.found() && weights >= 0 && !(model.tensors[weights].extents == wanted)) {
    found = refuse("sample_weights or position_weights for an output", "both", "keep one of them");
  }
  if (!found.found() && weights < 0) {
    weights = add_source(model, wanted, dtype::float32, tensor_role::weight);
    model.tensors.back().target_of = judged;
  }
  if (!found.found()) {
    append_input(model, weights);
  }
  return found;
}

/// The newest node, which judges the tensor `judged`, is told by the mask of that which steps
/// count, if it has one, as Keras tells losses and metrics.
constexpr problem attach_mask(graph& model, std::int32_t judged, weighed what) {
  const std::int32_t mask = model.tensors[judged].mask;
  if (mask < 0) {
    return {};
  }
  const shape steps = model.tensors[mask].extents;
  if (what != weighed::nothing) {
    return refuse("weights of an output, or a mask", "both",
                  "let the weights of masked steps be 0 in place of the mask");
  }
  if (!(shape_of_weights(model.tensors[judged].extents, weighed::positions) == steps)) {
    return refuse("an output (steps, features) where steps are masked",
                  describe(model.tensors[judged].extents));
  }
  append_input(model, mask);
  return {};
}

/// How often the mean over a micro-batch and its positions stands in what the reduction gives.
constexpr std::int64_t means_in(const result_choice& loss, const shape& output,
                                std::int32_t micro_batch) {
  if (!loss.sums) {
    return 1;
  }
  // A sum is over the positions of a sample as well, but not over the features of a position.
  const std::int64_t positions = output.rank > 1 ? output.elements() / output[output.rank - 1] : 1;
  return micro_batch * positions;
}

/// What a loss counts in the sum of all: kernels make means over the samples of a micro-batch.
constexpr float weight_of(const result_choice& loss, const shape& output,
                          std::int32_t micro_batch) {
  return loss.weight * static_cast<float>(means_in(loss, output, micro_batch));
}

/// Appends a node that judges an output of the model by what it should be, in its stage.
constexpr problem attach_result(graph& model, const result_choice& judge, node_purpose purpose,
                                std::int32_t micro_batch) {
  const graph_view view = model.view();
  const std::int32_t number = view.find_output(judge.output);
  const std::int32_t judged[] = {view.output(number)};
  // The stages of layers that are still to be chosen are not known, but the last is.
  const std::int32_t stage = model.automatic ? model.stages - 1 : view.stage_of(judged[0]);
  problem found = add_node(model, *judge.rule, judge.options, judged, stage, -1, -1, purpose);
  if (!found.found()) {
    found = attach_weights(model, judged[0], judge.weighs);
  }
  if (!found.found()) {
    found = attach_mask(model, judged[0], judge.weighs);
  }
  if (found.found()) {
    // What was added may have moved what stood there.
    const graph_view now = model.view();
    const std::int32_t maker = now.at(judged[0]).producer;
    found.where = label(judge.rule->name) << " behind ";
    found.where << (maker < 0 ? label("an input") : now.place_of(now.node_at(maker)));
  } else {
    // What lays the output out in positions hands its gradient on.
    model.tensors[model.view().input_of(model.nodes.back(), 0)].needs_gradient =
        model.tensors[judged[0]].needs_gradient;
    model.nodes.back().judged = number;
    model.nodes.back().weight = weight_of(judge, model.tensors[judged[0]].extents, micro_batch);
  }
  return found;
}

/// What is wrong with the choices as far as the outputs say; no output has two losses.
constexpr problem check_results(const graph_view& model, list_view<result_choice> losses,
                                list_view<result_choice> metrics) {
  problem found;
  for (std::size_t i = 0; i < losses.size() && !found.found(); ++i) {
    found = check_judged(model, losses[i]);
    for (std::size_t earlier = 0; earlier < i && !found.found(); ++earlier) {
      if (model.find_output(losses[earlier].output) == model.find_output(losses[i].output)) {
        found = refuse("one loss for each output",
                       label(losses[earlier].rule->name) << " and " << losses[i].rule->name,
                       "keep one of them; metrics report beside it");
        found.where = "compile";
      }
    }
  }
  for (std::size_t i = 0; i < metrics.size() && !found.found(); ++i) {
    found = check_judged(model, metrics[i]);
  }
  return found.found() ? found : check_reported_names(model.outputs.size(), losses, metrics);
}

/// A penalty is that of a sample, whatever of its steps are samples of a layer.
constexpr problem penalty_at_steps(const layer_record& layer) {
  problem found = refuse("a penalty of what a whole sample puts out",
                         "one of a layer at every step, in TimeDistributed<...>",
                         "put ActivityRegularization<...> behind TimeDistributed<...>");
  found.where = where_is(layer);
  return found;
}

/// Appends a node that judges what a layer puts out by its penalty, in the layer's stage.
constexpr problem attach_penalty(graph& model, std::int32_t number) {
  const layer_record layer = model.layers[number];
  const parameter_rules& penalty = layer.source->weights->output;
  const activity_penalty_rule rule{.l1 = penalty.l1, .l2 = penalty.l2};
  const std::int32_t judged[] = {layer.output};
  if (model.tensors[layer.output].steps_of >= 0) {
    return penalty_at_steps(layer);
  }
  problem found = add_node(model, activity_penalty_family, attributes::of(rule), judged,
                           layer.stage, number, -1, node_purpose::penalty);
  found.where = where_is(layer);
  // What lays the output out in rows hands its gradient on.
  model.tensors[model.view().input_of(model.nodes.back(), 0)].needs_gradient =
      model.tensors[layer.output].needs_gradient;
  // Kernels make means over the numbers of a sample.
  model.nodes.back().weight = static_cast<float>(model.tensors[layer.output].extents.elements());
  return found;
}

/// The penalties of all layers that have one, in their order.
constexpr problem attach_penalties(graph& model) {
  problem found;
  const auto layers = static_cast<std::int32_t>(model.layers.size());
  for (std::int32_t i = 0; i < layers && !found.found(); ++i) {
    const weight_rules* const asked = model.layers[i].source->weights;
    if (!is_null(asked) && asked->output.penalizes()) {
      found = attach_penalty(model, i);
    }
  }
  return found;
}

/// Refuses to train what is frozen as a whole. A model without parameters has states, perhaps.
constexpr problem check_something_learns(const graph_view& model) {
  std::int32_t parameters = 0;
  for (const tensor& atom : model.tensors) {
    if (atom.trainable) {
      return {};
    }
    parameters += atom.role == tensor_role::parameter ? 1 : 0;
  }
  problem found;
  if (parameters > 0) {
    found = refuse("a parameter that learns", label() << parameters << ", all of them frozen",
                   "leave a layer out of frozen<...>; predictor<...> needs no training");
    found.where = "compile";
  }
  return found;
}

/// Appends the losses in the order of the outputs, then penalties in that of their layers, and then
/// the metrics in theirs, for micro-batches of so many samples.
constexpr problem attach_results(graph& model, list_view<result_choice> losses,
                                 list_view<result_choice> metrics, std::int32_t micro_batch) {
  problem found = check_something_learns(model.view());
  if (!found.found()) {
    found = check_results(model.view(), losses, metrics);
  }
  const auto outputs = static_cast<std::int32_t>(model.outputs.size());
  for (std::int32_t output = 0; output < outputs; ++output) {
    for (const result_choice& loss : losses) {
      if (!found.found() && model.view().find_output(loss.output) == output) {
        found = attach_result(model, loss, node_purpose::loss, micro_batch);
      }
    }
  }
  if (!found.found()) {
    found = attach_penalties(model);
  }
  for (const result_choice& metric : metrics) {
    if (!found.found()) {
      found = attach_result(model, metric, node_purpose::metric, micro_batch);
    }
  }
  return found;
}

}  // namespace ipu_dsl
