// SPDX-License-Identifier: MIT
// What Keras calls the layers in wrappers, whose weights have the wrapper's name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ipu_dsl/exchange/array_file.hpp>
#include <ipu_dsl/exchange/load_report.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/vocabulary/layers/recurrent_options.hpp>

namespace ipu_dsl {

namespace exchange::keras {

/// Whether an element is one of Keras's wrappers.
inline bool is_wrapper(const element& piece) {
  return piece.kind == element_kind::at_steps || piece.combinator == "Bidirectional";
}

/// Whether two layers stand in the same models down to this depth.
inline bool stand_together(const layer_record& left, const layer_record& right,
                           std::int32_t depth) {
  bool together = left.depth >= depth && right.depth >= depth;
  for (std::int32_t i = 0; together && i < depth; ++i) {
    together = left.within[i].number == right.within[i].number &&
               left.within[i].part == right.within[i].part;
  }
  return together;
}

/// What a layer, or the model at this depth in which it stands, is called in Keras: "head" of
/// "head_0" where a wrapper is named head.
inline std::string name_in_wrapper(const graph_view& model, const layer_record& layer,
                                   const layer_place& place, std::int32_t depth) {
  for (const layer_record& wrapper : model.layers) {
    if (place.name.empty() && !place.scope.empty() && wrapper.depth == depth &&
        wrapper.name == place.scope && is_wrapper(*wrapper.source) &&
        stand_together(wrapper, layer, depth)) {
      return std::string(place.scope);
    }
  }
  return std::string(name_of(place).view());
}

/// The layer as Keras calls it: "head" of "head_0", "seen/code" of "seen_0/code".
inline std::string wrapped_name(const graph_view& model, const layer_record& layer) {
  const layer_title title = title_of(layer);
  std::string name;
  for (std::int32_t i = 0; i < title.depth; ++i) {
    name += name_in_wrapper(model, layer, title.within[i], i) + "/";
  }
  return name + name_in_wrapper(model, layer, title.own, title.depth);
}

/// Whether a file has arrays of a layer of this name.
inline bool has_layer(const array_file& file, const std::string& layer) {
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (std::string_view(file.name_of(i)).starts_with(layer + "/")) {
      return true;
    }
  }
  return false;
}

/// The name in the file of a layer that is called `layer` there or here: where it was not paired
/// and the file has none of that name, that which its wrapper gives it.
inline std::string layer_in_file(const graph_view& model, const node& owner,
                                 const layer_pair& layer, const array_file& file) {
  if (layer.in_file != layer.in_model || has_layer(file, layer.in_file)) {
    return layer.in_file;
  }
  return wrapped_name(model, model.layers[owner.layer]);
}

/// Whether an array, of which this stands behind the name of its layer, is of the way of a
/// Bidirectional that a layer reads: "/forward_lstm/lstm_cell_1/kernel" of one that reads forwards.
inline bool is_of_way(const node& owner, std::string_view array) {
  const bool recurrent = is_recurrent(owner.rule->name);
  const bool mirrored =
      recurrent && owner.options.as<recurrent_options>().order == sequence_order::mirrored;
  const bool forwards = array.find("/forward_") != array.npos;
  const bool backwards = array.find("/backward_") != array.npos;
  return !recurrent || forwards == backwards || backwards == mirrored;
}

}  // namespace exchange::keras

}  // namespace ipu_dsl
