// SPDX-License-Identifier: MIT
// What models have in common that are made of another one: cut anew, or given other stages.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/model/model.hpp>

namespace ipu_dsl {

/// A layer and its nodes stand in this stage.
constexpr void assign_stage(graph& made, std::int32_t number, std::int32_t stage) {
  layer_record& layer = made.layers[number];
  layer.stage = stage;
  for (std::int32_t n = layer.first_node; n < layer.first_node + layer.nodes; ++n) {
    made.nodes[n].stage = stage;
  }
}

/// Gradients of all uses are summed where the parameters lie.
constexpr void refuse_divided_uses(graph& made, std::string_view hint) {
  for (const layer_record& layer : made.layers) {
    const std::int32_t first = layer.shares < 0 ? layer.stage : made.layers[layer.shares].stage;
    if (first != layer.stage && !made.fault.found()) {
      made.fault = refuse("calls of a shared layer in one stage",
                          label("stages ") << first << " and " << layer.stage, hint);
      made.fault.where = where_is(layer);
    }
  }
}

/// The graph of the model `Whole`, as `change` makes the model `Changed` of it; `where` and `hint`
/// are said if it is no model.
template <typename Changed, typename Whole, typename Change>
constexpr graph fold_changed(std::string_view where, std::string_view hint, const Change& change) {
  graph made;
  if constexpr (std::same_as<Changed, Whole>) {
    made.fault = refuse("another model", label() << type_name<Whole>() << " itself", hint);
    made.fault.where = where;
  } else if constexpr (!model_type<Whole>) {
    made.fault = refuse("a model", type_name<Whole>(), hint);
    made.fault.where = where;
  } else {
    made = model_fold<Whole>::make();
    if (!made.fault.found()) {
      change(made);
    }
  }
  return made;
}

/// Why the compiler does not fold the model `Changed` that `Whole` is made into.
template <typename Changed, typename Whole>
constexpr problem refuse_whole_late() {
  if constexpr (model_type<Whole> && !std::same_as<Changed, Whole>) {
    return model_fold<Whole>::refuse_late();
  } else {
    return heard_late(refuse("a model", type_name<Whole>()));
  }
}

}  // namespace ipu_dsl
