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

/// Trainable values of the nodes of a layer; those of a shared layer count where it is called
/// first.
inline std::int64_t parameters_of(const graph_view& model, const layer_record& layer) {
  std::int64_t sum = 0;
  if (layer.shares >= 0) {
    return sum;
  }
  for (std::int32_t i = layer.first_node; i < layer.first_node + layer.nodes; ++i) {
    const node& here = model.node_at(i);
    for (std::int32_t parameter = 0; parameter < here.parameters; ++parameter) {
      const tensor& owned = model.at(model.parameter_of(here, parameter));
      sum += owned.trainable ? owned.extents.elements() : 0;
    }
  }
  return sum;
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
/// of learned values; then the sum, and what the losses read.
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
  std::int64_t sum = 0;
  for (const layer_record& layer : model.layers) {
    const std::int64_t parameters = summary::parameters_of(model, layer);
    sum += parameters;
    const std::string fields[] = {layer_name(layer), std::string(describe(*layer.source).view()),
                                  std::string(describe(model.at(layer.output).extents).view()),
                                  std::to_string(layer.stage), std::to_string(parameters)};
    table += line(fields);
  }
  table.append(75, '-') += "\n";
  table += "Parameters: " + std::to_string(sum) + "\n";
  return table + summary::loss_lines(model);
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
