// SPDX-License-Identifier: MIT
// What a layer is called where it has to be found: in summaries, in files of weights.
#pragma once

#include <string>
#include <string_view>

#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// The name that a layer was given, or its kind and number: "dense_1", within a residual
/// "dense_3_0".
inline std::string layer_name(const layer_record& layer) {
  if (!layer.name.empty()) {
    return std::string(layer.name);
  }
  const element& source = *layer.source;
  // A residual and a concatenation are called so, not by the node that joins their parts.
  const label combinator = describe(source);
  std::string name(source.kind == element_kind::layer ? source.rule->name : combinator.view());
  for (char& letter : name) {
    letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  name += "_" + std::to_string(layer.number);
  return layer.part < 0 ? name : name + "_" + std::to_string(layer.part);
}

}  // namespace ipu_dsl
