// SPDX-License-Identifier: MIT
// Which random numbers belong to which layer: initial values, and what dropout drops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/hash.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// How many layers of a kind have come that have no name.
struct counted_kind {
  std::string_view kind;
  std::uint32_t layers = 0;
};

/// Counts one layer more of its kind; returns how many came before it.
constexpr std::uint32_t count_kind(list<counted_kind>& kinds, std::string_view kind) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].kind == kind) {
      ++kinds[i].layers;
      return kinds[i].layers - 1;
    }
  }
  kinds.push_back({kind, 1});
  return 0;
}

/// What a layer is called in a model it shares with layers of that name in other models.
constexpr void take_models(fnv_1a& number, const layer_record& layer) {
  for (std::int32_t i = 0; i < layer.depth; ++i) {
    number.take("in ").take(name_of(layer.within[i]).view());
  }
}

/// By node, the number of its stream of random numbers. That of a layer with a name comes of the
/// name alone; that of another of its kind, and of how many of that kind without a name stand
/// before it. A further call of a shared layer has numbers of its own, from those of the first. So
/// what is inserted under a name, or is of another kind, changes no other layer's numbers, and
/// neither do stages, combinators and new names of layers that had one.
constexpr list<std::uint64_t> streams_of_nodes(const graph_view& model) {
  list<counted_kind> kinds;
  list<std::uint64_t> streams;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    streams.push_back(0);
  }
  list<fnv_1a> numbers;
  std::uint32_t shared_calls = 0;
  for (const layer_record& layer : model.layers) {
    fnv_1a number;
    if (layer.shares >= 0) {
      ++shared_calls;
      number = numbers[layer.shares];
      number.take("call ").take(shared_calls);
    } else if (!layer.name.empty()) {
      take_models(number, layer);
      number.take("named ").take(layer.name);
    } else {
      const std::string_view kind = title_of(layer).own.kind;
      number.take("kind ").take(kind).take(count_kind(kinds, kind));
    }
    numbers.push_back(number);
    for (std::int32_t i = 0; i < layer.nodes; ++i) {
      streams[layer.first_node + i] = fnv_1a(number).take(static_cast<std::uint32_t>(i)).value;
    }
  }
  return streams;
}

/// The stream of a parameter's initial values: of its owner's, and of its name.
constexpr std::uint64_t stream_of_parameter(std::uint64_t stream_of_node, std::string_view name) {
  return fnv_1a{stream_of_node}.take("/").take(name).value;
}

}  // namespace ipu_dsl
