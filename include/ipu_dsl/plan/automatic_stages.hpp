// SPDX-License-Identifier: MIT
// The stages of layers that are left to the compiler.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/plan/lowered_program.hpp>
#include <ipu_dsl/plan/stage_cost.hpp>
#include <ipu_dsl/schedule/partition/balanced_partition.hpp>
#include <ipu_dsl/schedule/partition/scheduled_partition.hpp>
#include <ipu_dsl/schedule/slots.hpp>

namespace ipu_dsl {

/// What a micro-batch costs each layer that stands in the outermost sequence, in multiply-adds:
/// [layers].
constexpr list<stage_cost> costs_of_layers(const graph_view& model, const lowered_view& program) {
  list<stage_cost> costs;
  for (const layer_record& layer : model.layers) {
    const auto number = static_cast<std::size_t>(listed_number(layer));
    if (number >= costs.size()) {
      costs.push_back({.forward = 0, .input_gradient = 0, .weight_gradient = 0, .update = 0});
    }
  }
  list<std::int32_t> layer_of_node(model.nodes.size(), -1);
  for (const layer_record& layer : model.layers) {
    for (std::int32_t i = layer.first_node; i < layer.first_node + layer.nodes; ++i) {
      layer_of_node[i] = listed_number(layer);
    }
  }
  for (const call& row : program.calls) {
    const std::int32_t layer = row.node < 0 ? -1 : layer_of_node[row.node];
    if (layer >= 0) {
      add_cost(costs[layer], row);
    }
  }
  return costs;
}

namespace stage_choice {

/// How many contiguous cuts there are, C(layers - 1, stages - 1), or `most` if there are more.
constexpr std::int64_t count_partitions(std::int64_t layers, std::int64_t stages,
                                        std::int64_t most) {
  std::int64_t count = 1;
  for (std::int64_t i = 1; i < stages && count < most; ++i) {
    count = count * (layers - i) / i;
  }
  return count < most ? count : most;
}

/// Actions of all the programs that a choice may prove: a proof takes some 100 steps of constant
/// evaluation an action, and clang stops after a million.
inline constexpr std::int64_t most_proven_actions = 5000;

/// The partition with the shortest makespan if all of them can be tried, else one that is reached
/// from the least work in the busiest device by moving cuts.
template <schedule_type Schedule>
constexpr partition choose(const list<stage_cost>& layers, int stages,
                           const pipeline_setting& setting) {
  const list<std::int64_t> whole = whole_costs(layers);
  partition cut = min_max_partition(whole, stages);
  if (Schedule::allows(setting.devices, stages, setting.micro_batches, purpose::training).found()) {
    return cut;
  }
  const std::int64_t actions = std::int64_t{2} * stages * setting.micro_batches;
  const std::int64_t affordable = most_proven_actions / actions;
  const auto layer_count = static_cast<std::int64_t>(layers.size());
  scheduled_partition found;
  if (count_partitions(layer_count, stages, affordable + 1) <= affordable) {
    found = best_partition<Schedule>(layers, stages, setting);
  } else {
    if (setting.devices < stages) {
      const program rows =
          make_program<Schedule>(setting.devices, stages, setting.micro_batches, purpose::training);
      cut = balanced_partition(whole, rows.device_of_stage, setting.devices);
    }
    // A pass tries two places for every cut; a few passes reach the end.
    constexpr std::int64_t passes = 3;
    if (2 * (stages - 1) * passes <= affordable) {
      found = improve_partition<Schedule>(layers, cut, setting);
    }
  }
  if (found.makespan >= 0) {
    return found.cut;
  }
  return cut;
}

}  // namespace stage_choice

/// The stage of each layer of a pipeline that the compiler cuts. Makespans are judged on few
/// micro-batches, as a search for slots is.
template <schedule_type Schedule>
constexpr list<int> choose_stages(const list<stage_cost>& layers, int stages, int devices,
                                  int micro_batches) {
  const int judged =
      searched_micro_batches<Schedule>(devices, stages, micro_batches, purpose::training);
  const partition cut = stage_choice::choose<Schedule>(layers, stages, {devices, judged});
  list<int> stage_of_layer(layers.size());
  for (int stage = 0; stage < stages; ++stage) {
    const int end = cut.first_layer_of_stage[stage + 1];
    for (int i = cut.first_layer_of_stage[stage]; i < end; ++i) {
      stage_of_layer[i] = stage;
    }
  }
  return stage_of_layer;
}

/// Puts layers and their nodes, with the penalties of their outputs, into the stages chosen for
/// them. What else stands behind the layers (the loss, metrics) is in the last stage already.
constexpr void assign_stages(graph& model, list_view<int> stage_of_layer) {
  for (layer_record& layer : model.layers) {
    layer.stage = stage_of_layer[listed_number(layer)];
  }
  for (node& here : model.nodes) {
    here.stage = here.layer < 0 ? here.stage : model.layers[here.layer].stage;
  }
  model.automatic = false;
}

}  // namespace ipu_dsl
