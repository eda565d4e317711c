// SPDX-License-Identifier: MIT
// Losses and metrics as the last nodes of a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/builder.hpp>

namespace ipu_dsl {

/// A loss or a metric, with its own options.
struct result_choice {
  const family* rule = nullptr;
  attributes options = {};
  /// The name of the layer that makes what it judges; empty: the model's one output.
  std::string_view output = {};
  float weight = 1;  ///< of a loss
};

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

/// Appends a node that judges an output of the model by what it should be, in its stage.
constexpr problem attach_result(graph& model, const result_choice& judge, node_purpose purpose) {
  const graph_view view = model.view();
  const std::int32_t number = view.find_output(judge.output);
  const std::int32_t judged[] = {view.output(number)};
  // The stages of layers that are still to be chosen are not known, but the last is.
  const std::int32_t stage = model.automatic ? model.stages - 1 : view.stage_of(judged[0]);
  problem found = add_node(model, *judge.rule, judge.options, judged, stage, -1, -1, purpose);
  if (found.found()) {
    const std::int32_t maker = view.at(judged[0]).producer;
    found.where = label(judge.rule->name) << " behind ";
    found.where << (maker < 0 ? label("an input") : view.place_of(view.node_at(maker)));
  } else {
    model.nodes.back().judged = number;
    model.nodes.back().weight = judge.weight;
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
  return found;
}

/// Appends the losses in the order of the outputs, and then the metrics in theirs.
constexpr problem attach_results(graph& model, list_view<result_choice> losses,
                                 list_view<result_choice> metrics) {
  problem found = check_results(model.view(), losses, metrics);
  const auto outputs = static_cast<std::int32_t>(model.outputs.size());
  for (std::int32_t output = 0; output < outputs; ++output) {
    for (const result_choice& loss : losses) {
      if (!found.found() && model.view().find_output(loss.output) == output) {
        found = attach_result(model, loss, node_purpose::loss);
      }
    }
  }
  for (const result_choice& metric : metrics) {
    if (!found.found()) {
      found = attach_result(model, metric, node_purpose::metric);
    }
  }
  return found;
}

}  // namespace ipu_dsl
