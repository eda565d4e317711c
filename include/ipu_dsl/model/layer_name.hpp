// SPDX-License-Identifier: MIT
// What a layer is called where it has to be found: in summaries, in files of weights.
#pragma once

#include <string>
#include <string_view>

#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// The name that a layer was given, or its kind and number: "dense_1", within a residual
/// "dense_3_0".
inline std::string layer_name(const layer_title& layer) {
  if (!layer.name.empty()) {
    return std::string(layer.name);
  }
  std::string name(layer.kind);
  for (char& letter : name) {
    letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  if (layer.part < 0) {
    return sentence_of({name, "_", layer.number});
  }
  return sentence_of({name, "_", layer.number, "_", layer.part});
}

inline std::string layer_name(const layer_record& layer) {
  return layer_name(title_of(layer));
}

}  // namespace ipu_dsl
