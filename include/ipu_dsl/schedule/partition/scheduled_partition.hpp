// SPDX-License-Identifier: MIT
// Partitions judged by what counts in the end: the makespan of a schedule, or the work of devices
// that hold several stages. The least bottleneck is where they start.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/partition/partition.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// The costs of layers added up: [stages].
constexpr list<stage_cost> costs_of_stages(list_view<stage_cost> layers, const partition& cut) {
  list<stage_cost> costs;
  for (int stage = 0; stage < cut.stages(); ++stage) {
    stage_cost sum = {.forward = 0, .input_gradient = 0, .weight_gradient = 0};
    const int end = cut.first_layer_of_stage.data()[stage + 1];
    for (int layer = cut.first_layer_of_stage.data()[stage]; layer < end; ++layer) {
      const stage_cost& part = layers[layer];
      sum.forward += part.forward;
      sum.input_gradient += part.input_gradient;
      sum.weight_gradient += part.weight_gradient;
      sum.update += part.update;
      sum.offload += part.offload;
      sum.stash_bytes += part.stash_bytes;
    }
    costs.push_back(sum);
  }
  return costs;
}

/// What a micro-batch costs each layer, forward and backward: [layers].
constexpr list<std::int64_t> whole_costs(list_view<stage_cost> layers) {
  list<std::int64_t> costs;
  for (const stage_cost& layer : layers) {
    costs.push_back(layer.forward + layer.input_gradient + layer.weight_gradient);
  }
  return costs;
}

/// How a partition is run.
struct pipeline_setting {
  int devices = 0;
  int micro_batches = 0;
  std::int64_t hop = 0;  ///< from device to device, as in a stage graph
};

/// Whether a partition is one of so many layers.
constexpr bool cuts_all(const partition& cut, std::size_t layers) {
  const list<int>& first = cut.first_layer_of_stage;
  bool fits = first.size() > 1 && first.data()[0] == 0 &&
              first.data()[first.size() - 1] == static_cast<int>(layers);
  for (std::size_t stage = 1; fits && stage < first.size(); ++stage) {
    fits = first.data()[stage - 1] < first.data()[stage];
  }
  return fits;
}

/// The asynchronous makespan of a training run of a partition, slots unbounded; -1 if it is none of
/// these layers, the schedule refuses the counts or its program is not proven: ask for that before
/// it is compared with others. For schedules with one copy of the weights.
template <schedule_type Schedule>
constexpr std::int64_t makespan_of_partition(list_view<stage_cost> layers, const partition& cut,
                                             const pipeline_setting& setting) {
  if (!cuts_all(cut, layers.size())) {
    return -1;
  }
  const int stages = cut.stages();
  if (Schedule::allows(setting.devices, stages, setting.micro_batches, purpose::training).found()) {
    return -1;
  }
  stage_graph graph = chain_stage_graph(stages, costs_of_stages(layers, cut));
  graph.hop = setting.hop;
  const program rows = make_program_for<Schedule>(setting.devices, setting.micro_batches,
                                                  graph.view(), purpose::training);
  std::int64_t makespan = -1;
  proof::prove_and(
      rows.view(), graph.view(), {}, Schedule::name, {},
      [&makespan](const run_input&, const in_order_run& run) { makespan = run.makespan(); });
  return makespan;
}

/// A partition and the makespan it gives a schedule (-1: none is proven).
struct scheduled_partition {
  partition cut;
  std::int64_t makespan = -1;
};

namespace partitioning {

/// The most expensive stage of a partition.
constexpr std::int64_t bottleneck_of(const list<std::int64_t>& sums, const partition& cut) {
  std::int64_t bottleneck = 0;
  const int* const first = cut.first_layer_of_stage.data();
  for (int stage = 0; stage < cut.stages(); ++stage) {
    const std::int64_t cost = sums.data()[first[stage + 1]] - sums.data()[first[stage]];
    bottleneck = bottleneck < cost ? cost : bottleneck;
  }
  return bottleneck;
}

/// The next partition in lexicographic order of cuts; false after the last one.
constexpr bool advance(partition& cut) {
  int* const first = cut.first_layer_of_stage.data();
  const int stages = cut.stages();
  for (int stage = stages - 1; stage > 0; --stage) {
    // Every later stage keeps at least one layer.
    if (first[stage] < first[stages] - (stages - stage)) {
      ++first[stage];
      for (int later = stage + 1; later < stages; ++later) {
        first[later] = first[later - 1] + 1;
      }
      return true;
    }
  }
  return false;
}

}  // namespace partitioning

/// Moves cuts by one layer, the first cut first, as long as the proven makespan becomes less: a
/// local optimum. Starts best from `min_max_partition(whole_costs(layers), stages)`.
template <schedule_type Schedule>
constexpr scheduled_partition improve_partition(list_view<stage_cost> layers,
                                                const partition& start,
                                                const pipeline_setting& setting) {
  scheduled_partition best = {start, makespan_of_partition<Schedule>(layers, start, setting)};
  bool improved = best.makespan >= 0;
  while (improved) {
    improved = false;
    for (int stage = 1; stage < start.stages(); ++stage) {
      for (const int step : {-1, 1}) {
        partition trial = best.cut;
        int* const first = trial.first_layer_of_stage.data() + stage;
        *first += step;
        if (first[0] == first[-1] || first[0] == first[1]) {
          continue;
        }
        const std::int64_t makespan = makespan_of_partition<Schedule>(layers, trial, setting);
        if (makespan >= 0 && makespan < best.makespan) {
          best = {trial, makespan};
          improved = true;
        }
      }
    }
  }
  best.cut.bottleneck =
      partitioning::bottleneck_of(partitioning::running_sums(whole_costs(layers)), best.cut);
  return best;
}

/// The partition with the least proven makespan of all of them, the first in lexicographic order of
/// cuts if there are several. There are C(layers - 1, stages - 1), so this is for small models.
template <schedule_type Schedule>
constexpr scheduled_partition best_partition(list_view<stage_cost> layers, int stages,
                                             const pipeline_setting& setting) {
  scheduled_partition best;
  if (partition_problem(static_cast<int>(layers.size()), stages).found()) {
    return best;
  }
  partition trial;
  for (int stage = 0; stage < stages; ++stage) {
    trial.first_layer_of_stage.push_back(stage);
  }
  trial.first_layer_of_stage.push_back(static_cast<int>(layers.size()));
  do {
    const std::int64_t makespan = makespan_of_partition<Schedule>(layers, trial, setting);
    if (makespan >= 0 && (best.makespan < 0 || makespan < best.makespan)) {
      best = {trial, makespan};
    }
  } while (partitioning::advance(trial));
  best.cut.bottleneck =
      partitioning::bottleneck_of(partitioning::running_sums(whole_costs(layers)), best.cut);
  return best;
}

}  // namespace ipu_dsl
