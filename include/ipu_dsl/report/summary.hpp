// SPDX-License-Identifier: MIT
// A model as a table: its layers, shapes, stages and parameters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/model/layer_name.hpp>

namespace ipu_dsl {

namespace summary {

/// A field of a table, cut or filled up to its width.
inline std::string field(std::string text, std::size_t width) {
  text.resize(width, ' ');
  return text;
}

/// The same, with a space at the end, so that what was cut does not run into the next field.
inline std::string separated_field(const std::string& text, std::size_t width) {
  return field(text, width - 1) + " ";
}

/// How many numbers parameters have.
struct parameter_count {
  std::int64_t learned = 0;
  std::int64_t frozen = 0;

  std::int64_t all() const { return learned + frozen; }
};

/// Of the nodes of a layer; those of a shared layer count where it is called first.
inline parameter_count parameters_of(const graph_view& model, const layer_record& layer) {
  parameter_count sum;
  if (layer.shares >= 0) {
    return sum;
  }
  for (std::int32_t i = layer.first_node; i < layer.first_node + layer.nodes; ++i) {
    const node& here = model.node_at(i);
    for (std::int32_t parameter = 0; parameter < here.parameters; ++parameter) {
      const tensor& owned = model.at(model.parameter_of(here, parameter));
      if (owned.role == tensor_role::parameter) {
        (owned.trainable ? sum.learned : sum.frozen) += owned.extents.elements();
      }
    }
  }
  return sum;
}

/// The sum of a model; where some of it is frozen, how much.
inline std::string sum_lines(const parameter_count& sum) {
  std::string lines = "Parameters: " + std::to_string(sum.all()) + "\n";
  if (sum.frozen > 0) {
    lines += "Trainable: " + std::to_string(sum.learned) + "\n";
    lines += "Non-trainable: " + std::to_string(sum.frozen) + "\n";
  }
  return lines;
}

/// What a tensor was before it was laid out anew, or itself.
inline std::int32_t as_it_was_made(const graph_view& model, std::int32_t tensor) {
  const std::int32_t producer = model.at(tensor).producer;
  const bool laid_out = producer >= 0 && model.node_at(producer).rule->lays_out;
  return laid_out ? model.input_of(model.node_at(producer), 0) : tensor;
}

/// What the losses read, where that is not what the model puts out.
inline std::string loss_lines(const graph_view& model) {
  std::string lines;
  for (const node& here : model.nodes) {
    if (!is_minimised(here.purpose)) {
      continue;
    }
    if (here.purpose == node_purpose::penalty) {
      lines += std::string(here.rule->name) + " of " + layer_name(model.layers[here.layer]) + "\n";
      continue;
    }
    lines += "Loss: " + std::string(here.rule->name);
    if (model.outputs.size() > 1) {
      lines += " of " + std::string(model.name_of_output(here.judged));
    }
    const std::int32_t read = as_it_was_made(model, model.input_of(here, 0));
    if (read != as_it_was_made(model, model.output(here.judged))) {
      lines += ", from the logits before the softmax at the end";
    }
    lines += "\n";
  }
  return lines;
}

}  // namespace summary

/// The table of a model, one line a layer: name, kind, output shape of one sample, stage and number
/// of parameters' values; then their sum, how many of them are frozen if any are, and what the
/// losses read.
inline std::string summary_text(const graph_view& model, std::string_view name) {
  const std::size_t widths[] = {16, 22, 18, 7, 12};
  const auto line = [&widths](const std::string(&fields)[5]) {
    std::string row;
    for (std::size_t i = 0; i < 5; ++i) {
      row += summary::separated_field(fields[i], widths[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    return row + "\n";
  };
  std::string table = "Model: " + std::string(name) + "\n";
  const std::string heads[] = {"Layer", "Kind", "Output", "Stage", "Parameters"};
  table += line(heads);
  table.append(75, '-') += "\n";
  summary::parameter_count sum;
  for (const layer_record& layer : model.layers) {
    const summary::parameter_count parameters = summary::parameters_of(model, layer);
    sum.learned += parameters.learned;
    sum.frozen += parameters.frozen;
    const std::string fields[] = {layer_name(layer), std::string(describe(*layer.source).view()),
                                  std::string(describe(model.at(layer.output).extents).view()),
                                  std::to_string(layer.stage), std::to_string(parameters.all())};
    table += line(fields);
  }
  table.append(75, '-') += "\n";
  return table + summary::sum_lines(sum) + summary::loss_lines(model);
}

/// The stages of a model's layers, as Keras's print_pipeline_stage_assignment_summary lays it out:
/// two columns over `line_length` characters, a rule between rows.
inline std::string stage_assignment_text(const graph_view& model, std::string_view name,
                                         std::size_t line_length = 60) {
  const std::size_t first = line_length / 2;
  const auto row = [&](const std::string& left, const std::string& right) {
    return summary::field(left, first) + summary::field(right, line_length - first) + "\n";
  };
  std::string table = "Model: \"" + std::string(name) + "\"\n";
  table.append(line_length, '_') += "\n";
  table += row("Layer (type)", "Pipeline Stage");
  table.append(line_length, '=') += "\n";
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer_record& layer = model.layers[i];
    const std::string kind(layer.source->kind == element_kind::layer
                               ? layer.source->rule->name
                               : describe(*layer.source).view());
    table += row(layer_name(layer) + " (" + kind + ")", std::to_string(layer.stage));
    const bool last = i + 1 == model.layers.size();
    table.append(line_length, last ? '=' : '_') += "\n";
  }
  return table;
}

}  // namespace ipu_dsl
