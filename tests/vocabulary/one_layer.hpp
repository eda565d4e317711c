// SPDX-License-Identifier: MIT
// A graph of one layer, without the model room: what a family's rules say about given inputs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <ipu_dsl/graph/builder.hpp>

namespace ipu_dsl::testing {

struct one_layer {
  graph made;
  problem found;

  /// Before it may stand what lays out its inputs.
  constexpr const node& only() const { return made.nodes.back(); }

  constexpr const tensor& output() const {
    return made.view().at(made.view().output_of(only(), 0));
  }

  constexpr const tensor& parameter(std::int32_t index) const {
    return made.view().at(made.view().parameter_of(only(), index));
  }

  /// Accepted, with an output of this shape.
  constexpr bool gives(const shape& expected) const {
    return !found.found() && output().extents == expected;
  }

  constexpr bool refused(std::string_view expected, std::string_view got) const {
    return found.expected.view() == expected && found.got.view() == got;
  }
};

/// Whether two initialisers are the same, own functions aside.
constexpr bool same_start(const initializer& left, const initializer& right) {
  return left.kind == right.kind && left.value == right.value && left.second == right.second &&
         left.fan == right.fan && left.seeded == right.seeded && left.seed == right.seed;
}

/// A layer on inputs of these shapes.
constexpr one_layer apply(const element& piece, std::initializer_list<shape> inputs) {
  one_layer result;
  list<std::int32_t> sources;
  for (const shape& extents : inputs) {
    sources.push_back(add_source(result.made, extents, dtype::float32, tensor_role::input));
  }
  if (!is_null(piece.fault) && piece.fault->found()) {
    result.found = *piece.fault;
  } else {
    result.found =
        add_node(result.made, *piece.rule, piece.options, {sources.data(), sources.size()}, 0, -1,
                 -1, node_purpose::layer, piece.starts);
  }
  return result;
}

template <typename Layer>
constexpr one_layer apply(std::initializer_list<shape> inputs) {
  return apply(Layer::description, inputs);
}

}  // namespace ipu_dsl::testing
