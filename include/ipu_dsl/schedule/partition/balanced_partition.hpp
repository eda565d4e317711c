// SPDX-License-Identifier: MIT
// Partitions for devices that hold several stages: what counts is the sum of a device, not the
// stage.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/partition/partition.hpp>

namespace ipu_dsl {

namespace partitioning {

/// How unevenly devices are loaded: first the most loaded one, then, so that a search sees progress
/// elsewhere too, the sum of squares.
struct imbalance {
  std::int64_t most = 0;
  std::int64_t squares = 0;

  constexpr bool less_than(const imbalance& other) const {
    return most < other.most || (most == other.most && squares < other.squares);
  }
};

/// The imbalance of devices under a partition.
constexpr imbalance imbalance_of(const list<std::int64_t>& sums, const partition& cut,
                                 list_view<int> device_of_stage, int devices) {
  list<std::int64_t> load(devices);
  const int* const first = cut.first_layer_of_stage.data();
  for (int stage = 0; stage < cut.stages(); ++stage) {
    load.data()[device_of_stage[stage]] +=
        sums.data()[first[stage + 1]] - sums.data()[first[stage]];
  }
  imbalance found;
  for (const std::int64_t sum : load) {
    found.most = found.most < sum ? sum : found.most;
    found.squares += sum * sum;
  }
  return found;
}

}  // namespace partitioning

/// A partition into the stages of a placement that loads devices evenly: in a V, where a device has
/// an early and a late stage, it is the pair that is balanced. `bottleneck` is the sum of the most
/// loaded device. From `min_max_partition`, each cut in turn goes where it is best between its
/// neighbours until none moves: a local optimum. Costs are below 2^31 in sum (they are squared).
/// Without any stage if `partition_problem` finds something.
constexpr partition balanced_partition(list_view<std::int64_t> costs,
                                       list_view<int> device_of_stage, int devices) {
  const int stages = static_cast<int>(device_of_stage.size());
  partition best = min_max_partition(costs, stages);
  if (best.stages() == 0) {
    return best;
  }
  const list<std::int64_t> sums = partitioning::running_sums(costs);
  partitioning::imbalance least = partitioning::imbalance_of(sums, best, device_of_stage, devices);
  bool improved = true;
  while (improved) {
    improved = false;
    for (int stage = 1; stage < stages; ++stage) {
      partition trial = best;
      int* const first = trial.first_layer_of_stage.data() + stage;
      for (*first = first[-1] + 1; first[0] < first[1]; ++*first) {
        const partitioning::imbalance found =
            partitioning::imbalance_of(sums, trial, device_of_stage, devices);
        if (found.less_than(least)) {
          least = found;
          best = trial;
          improved = true;
        }
      }
    }
  }
  best.bottleneck = least.most;
  return best;
}

}  // namespace ipu_dsl
