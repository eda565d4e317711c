// SPDX-License-Identifier: MIT
// A model as a table: its layers, shapes, stages and parameters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/model/layer_name.hpp>

namespace ipu_dsl {

namespace summary {

/// A field of a table, cut or filled up to its width.
inline std::string field(std::string text, std::size_t width) {
  text.resize(width, ' ');
  return text;
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
    const std::int32_t read = model.as_it_was_made(model.input_of(here, 0));
    if (read != model.as_it_was_made(model.output(here.judged))) {
      lines += ", from the logits before the softmax at the end";
    }
    lines += "\n";
  }
  return lines;
}

/// The layer's kind without its arguments, as Keras names the class: "Dense", of a relu
/// "Activation".
inline std::string class_of(const element& source) {
  const std::string words(describe_bare(source).view());
  const bool is_function = words.front() >= 'a' && words.front() <= 'z';
  if (is_function && source.kind == element_kind::layer) {
    return std::string(source.rule->name);
  }
  return words.substr(0, words.find('<'));
}

/// What is fed, as it is called: "input", and where there are several "input price", or "input 1"
/// of one without a name.
inline std::string name_of_input(const graph_view& model, std::int32_t tensor) {
  const std::int32_t inputs = model.count(tensor_role::input);
  std::int32_t number = 0;
  while (number < inputs && model.find(tensor_role::input, number) != tensor) {
    ++number;
  }
  if (inputs < 2 || number == inputs) {
    return "input";
  }
  const std::string name(model.at(tensor).name);
  return "input " + (name.empty() ? std::to_string(number) : name);
}

/// What a layer reads that it does not make itself: names of layers, and of what is fed. Each layer
/// and each input is there once; one that is shared has its name for each of its calls.
inline std::vector<std::string> read_by(const graph_view& model, const layer_record& layer) {
  std::vector<std::string> names;
  std::vector<std::int32_t> seen;
  const std::int32_t end = layer.first_node + layer.nodes;
  for (std::int32_t i = layer.first_node; i < end; ++i) {
    const node& here = model.node_at(i);
    for (std::int32_t input = 0; input < here.inputs; ++input) {
      const std::int32_t made = model.as_it_was_made(model.input_of(here, input));
      // Nobody has called a layer on a mask.
      if (model.at(made).is_mask) {
        continue;
      }
      const std::int32_t producer = model.at(made).producer;
      if (producer >= layer.first_node && producer < end) {
        continue;
      }
      // Layers count from 0, what is fed down from -1.
      const std::int32_t from = producer < 0 ? -1 - made : model.node_at(producer).layer;
      if (std::ranges::find(seen, from) == seen.end()) {
        seen.push_back(from);
        names.push_back(from < 0 ? name_of_input(model, made) : layer_name(model.layers[from]));
      }
    }
  }
  return names;
}

/// A column of a table: as wide as its longest text, within bounds.
inline std::size_t column_width(const std::vector<std::vector<std::string>>& rows,
                                std::size_t column, std::size_t least, std::size_t most) {
  std::size_t width = least;
  for (const std::vector<std::string>& row : rows) {
    width = (std::max)(width, row[column].size() + 1);
  }
  return (std::min)(width, most);
}

/// A field of a table with a space behind it; what is too long ends with three dots.
inline std::string separated_field(std::string text, std::size_t width) {
  if (text.size() >= width) {
    text.resize(width - 4);
    text += "...";
  }
  return field(std::move(text), width);
}

/// The shapes of what a node makes, but for masks.
inline std::vector<std::string> shapes_of(const graph_view& model, const node& maker) {
  std::vector<std::string> shapes;
  for (std::int32_t i = 0; i < maker.outputs; ++i) {
    const tensor& output = model.at(model.output_of(maker, i));
    if (!output.is_mask) {
      shapes.emplace_back(describe(output.extents).view());
    }
  }
  return shapes;
}

/// The shapes of all that a layer hands on: one, or several as a recurrent layer's with its states.
inline std::string output_shapes(const graph_view& model, const layer_record& layer) {
  const std::int32_t made = model.as_it_was_made(layer.output);
  const std::int32_t producer = model.at(made).producer;
  const std::int32_t end = layer.first_node + layer.nodes;
  if (producer < layer.first_node || producer >= end) {
    return std::string(describe(model.at(layer.output).extents).view());
  }
  // What stands around layers at every step has a node for each sequence.
  const bool has_several = model.node_at(producer).rule->sees != sequence_view::none;
  std::string shapes;
  for (std::int32_t i = producer; i < (has_several ? end : producer + 1); ++i) {
    if (model.node_at(i).rule == model.node_at(producer).rule) {
      for (const std::string& each : shapes_of(model, model.node_at(i))) {
        shapes += (shapes.empty() ? "" : ", ") + each;
      }
    }
  }
  return shapes;
}

/// The rows of `summary_text`, with what each layer reads at the end.
inline std::vector<std::vector<std::string>> rows_of(const graph_view& model,
                                                     parameter_count& sum) {
  std::vector<std::vector<std::string>> rows = {
      {"Layer", "Kind", "Output", "Stage", "Parameters", "Reads"}};
  for (const layer_record& layer : model.layers) {
    const parameter_count parameters = parameters_of(model, layer);
    sum.learned += parameters.learned;
    sum.frozen += parameters.frozen;
    std::string reads;
    for (const std::string& name : read_by(model, layer)) {
      reads += (reads.empty() ? "" : ", ") + name;
    }
    rows.push_back({layer_name(layer), std::string(describe(*layer.source).view()),
                    output_shapes(model, layer), std::to_string(layer.stage),
                    std::to_string(parameters.all()), reads});
  }
  return rows;
}

/// Whether every layer reads what stands in the line above, and nothing else.
inline bool is_chain(const std::vector<std::vector<std::string>>& rows) {
  for (std::size_t i = 2; i < rows.size(); ++i) {
    if (rows[i].back() != rows[i - 1].front()) {
      return false;
    }
  }
  return true;
}

}  // namespace summary

/// The table of a model, one line a layer: name, kind, output shapes of one sample, stage, number
/// of parameters' values and, where layers read other than what stands above them, what they read;
/// then the parameters' sum, how many of them are frozen if any are, and what the losses read.
inline std::string summary_text(const graph_view& model, std::string_view name) {
  summary::parameter_count sum;
  std::vector<std::vector<std::string>> rows = summary::rows_of(model, sum);
  const bool chain = summary::is_chain(rows);
  const std::size_t widths[] = {summary::column_width(rows, 0, 16, 32),
                                summary::column_width(rows, 1, 22, 48),
                                summary::column_width(rows, 2, 18, 32), 7, 12};
  std::vector<std::string> lines;
  std::size_t longest = 0;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < std::size(widths); ++i) {
      line += summary::separated_field(row[i], widths[i]);
    }
    line += chain ? "" : row.back();
    longest = (std::max)(longest, line.size());
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  const std::string rule = std::string(longest, '-') + "\n";
  std::string table = "Model: " + std::string(name) + "\n" + lines.front() + "\n" + rule;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    table += lines[i] + "\n";
  }
  return table + rule + summary::sum_lines(sum) + summary::loss_lines(model);
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
    const std::string kind = summary::class_of(*layer.source);
    table += row(layer_name(layer) + " (" + kind + ")", std::to_string(layer.stage));
    const bool last = i + 1 == model.layers.size();
    table.append(line_length, last ? '=' : '_') += "\n";
  }
  return table;
}

}  // namespace ipu_dsl
