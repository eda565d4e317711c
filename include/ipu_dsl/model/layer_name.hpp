// SPDX-License-Identifier: MIT
// What a layer is called where it has to be found: in summaries, in files of weights.
#pragma once

#include <cstdint>
#include <string>

#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// The name that a layer was given, or its kind and number: "dense_1", within a residual
/// "dense_3_0", within a residual named block "block_0"; in a model that is a layer named encoder
/// "encoder/dense_1".
inline std::string layer_name(const layer_title& layer) {
  std::string name;
  const auto append = [&name](const layer_place& place) {
    name += place.name.empty() ? automatic_name(place).view() : place.name;
  };
  for (std::int32_t i = 0; i < layer.depth; ++i) {
    append(layer.within[i]);
    name += "/";
  }
  append(layer.own);
  return name;
}

inline std::string layer_name(const layer_record& layer) {
  return layer_name(title_of(layer));
}

}  // namespace ipu_dsl
