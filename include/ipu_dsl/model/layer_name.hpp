// SPDX-License-Identifier: MIT
// What a layer is called where it has to be found: in summaries, in files of weights.
#pragma once

#include <string>
#include <string_view>

#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// The name that a layer was given, or its kind and number: "dense_1", within a residual
/// "dense_3_0", within a residual named block "block_0".
inline std::string layer_name(const layer_title& layer) {
  if (!layer.name.empty()) {
    return std::string(layer.name);
  }
  return std::string(automatic_name(layer).view());
}

inline std::string layer_name(const layer_record& layer) {
  return layer_name(title_of(layer));
}

}  // namespace ipu_dsl
