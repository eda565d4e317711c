// SPDX-License-Identifier: MIT
// The stages of a functional model as a table: every call of a layer, with what it reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/model/restaged.hpp>
#include <ipu_dsl/report/summary.hpp>

namespace ipu_dsl {

namespace summary {

/// A line of three columns, which end behind four tenths of a line, eight tenths, and all of it.
inline std::string row_of_three(const std::string& left, const std::string& middle,
                                const std::string& right, std::size_t line_length) {
  const std::size_t first = line_length * 4 / 10;
  const std::size_t second = line_length * 8 / 10;
  return field(left, first) + field(middle, second - first) + field(right, line_length - second) +
         "\n";
}

}  // namespace summary

/// The stages of a model's layers, as Graphcore's functional models print them: three columns over
/// `line_length` characters, a row for every call of a layer with the number of the call, and a
/// line for each of several layers that it reads; a rule between rows. What is too long is cut.
inline std::string functional_stage_assignment_text(const graph_view& model, std::string_view name,
                                                    std::size_t line_length = 89) {
  std::string table = "Model: \"" + std::string(name) + "\"\n";
  table.append(line_length, '_') += "\n";
  table += summary::row_of_three("Layer (type) (node index)", "Input Layers", "Pipeline Stage",
                                 line_length);
  table.append(line_length, '=') += "\n";
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer_record& layer = model.layers[i];
    const std::vector<std::string> reads = summary::read_by(model, layer);
    table += summary::row_of_three(layer_name(layer) + " (" + summary::class_of(*layer.source) +
                                       ") (" + std::to_string(number_of_call(model, i)) + ")",
                                   reads.empty() ? "" : reads[0], std::to_string(layer.stage),
                                   line_length);
    for (std::size_t input = 1; input < reads.size(); ++input) {
      table += summary::row_of_three("", reads[input], "", line_length);
    }
    const bool last = i + 1 == model.layers.size();
    table.append(line_length, last ? '=' : '_') += "\n";
  }
  return table;
}

}  // namespace ipu_dsl
