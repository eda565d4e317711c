// SPDX-License-Identifier: MIT
// Schedules made for the costs at hand: list scheduling of forwards, input gradients and weight
// gradients under a bound of memory, after the heuristics of Zero Bubble (Qi, Wan, Huang, Lin,
// "Zero bubble pipeline parallelism", 2023).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <ipu_dsl/schedule/catalogue/least_makespan.hpp>
#include <ipu_dsl/schedule/catalogue/list_run.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// The best of several list schedules of the stages of `graph`, of which stage s is on
/// `device_of_stage[s]`. A device never holds more than `bound` micro-batches in each of its stages
/// on average: bound x its stages are between their forward and the end of their weight gradient.
/// With one stage a device the order of 1F1B is among those tried. Forwards go from lower to higher
/// stages.
constexpr program list_schedule(int devices, std::span<const int> device_of_stage,
                                int micro_batches, const stage_graph_view& graph, int bound) {
  const list_scheduling::task work =
      list_scheduling::make_task(devices, device_of_stage, micro_batches, graph);
  bool one_stage_each = true;
  for (int device = 0; device < devices; ++device) {
    one_stage_each = one_stage_each && work.stages_on(device) == 1;
  }
  const std::int64_t least = list_scheduling::least_makespan(work);
  list_scheduling::run best(work, bound, {});
  for (int number = 1; number < 9 && best.makespan() > least; ++number) {
    const list_scheduling::policy how = {(number & 1) != 0, (number & 2) != 0, (number & 4) != 0,
                                         number == 8};
    if (number < 8 || one_stage_each) {
      list_scheduling::run other(work, bound, how, best.makespan());
      if (other.makespan() < best.makespan()) {
        best = std::move(other);
      }
    }
  }
  return best.rows();
}

/// A schedule made for the costs of its stages: `make_for` tries the heuristics of Zero Bubble and
/// keeps the program with the least makespan. A device holds at most `Bound` micro-batches in each
/// stage it has; 0 stands for 2p - 1 on p devices, with which no device need wait for memory.
template <int Bound = 0>
struct zero_bubble_list : placed_schedule<zero_bubble_list<Bound>> {
  static_assert(Bound >= 0);

  static constexpr std::string_view name = "zb-list";

  static constexpr problem fits(int devices, int stages, int) {
    return rules::device_count(name, devices, stages, 1);
  }

  static constexpr list<int> place(int devices, int stages) {
    return neighbouring_placement(devices, stages);
  }

  /// For stages that all cost the same.
  static constexpr program make(int devices, int stages, int micro_batches) {
    const stage_graph graph = chain_stage_graph(stages);
    return make_for(devices, micro_batches, graph.view());
  }

  static constexpr program make_for(int devices, int micro_batches, const stage_graph_view& graph) {
    const list<int> device_of_stage = place(devices, graph.stages);
    return list_schedule(devices, device_of_stage, micro_batches, graph,
                         Bound == 0 ? 2 * devices - 1 : Bound);
  }
};

}  // namespace ipu_dsl
