// SPDX-License-Identifier: MIT
// Schedules made for the costs at hand: list scheduling of forwards, input gradients and weight
// gradients under a bound of memory, after the heuristics of Zero Bubble (Qi, Wan, Huang, Lin,
// "Zero bubble pipeline parallelism", 2023).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <ipu_dsl/catalogue/least_makespan.hpp>
#include <ipu_dsl/catalogue/list_run.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

namespace list_scheduling {

/// What is tried, in this order; the last one is for one stage a device.
inline constexpr int policies = 9;

constexpr policy policy_of(int number) {
  return {(number & 1) != 0, (number & 2) != 0, (number & 4) != 0, number == 8};
}

/// Whether a policy is tried where the best makespan so far is `best`, and none gets below `least`.
constexpr bool is_tried(const task& work, int number, std::int64_t best, std::int64_t least) {
  bool one_stage_each = true;
  for (int device = 0; device < work.devices; ++device) {
    one_stage_each = one_stage_each && work.stages_on(device) == 1;
  }
  return best > least && (number < 8 || one_stage_each);
}

}  // namespace list_scheduling

/// The best of several list schedules of the stages of `graph`, of which stage s is on
/// `device_of_stage[s]`. A device never holds more than `bound` micro-batches in each of its stages
/// on average: bound x its stages are between their forward and the end of their weight gradient.
/// With one stage a device the order of 1F1B is among those tried. Forwards go from lower to higher
/// stages.
constexpr program list_schedule(int devices, list_view<int> device_of_stage, int micro_batches,
                                const stage_graph_view& graph, int bound) {
  const list_scheduling::task work =
      list_scheduling::make_task(devices, device_of_stage, micro_batches, graph);
  const std::int64_t least = list_scheduling::least_makespan(work);
  list_scheduling::run best(work, bound, {});
  for (int number = 1; number < list_scheduling::policies; ++number) {
    if (list_scheduling::is_tried(work, number, best.makespan(), least)) {
      list_scheduling::run other(work, bound, list_scheduling::policy_of(number), best.makespan());
      if (other.makespan() < best.makespan()) {
        best = std::move(other);
      }
    }
  }
  return best.rows();
}

namespace list_scheduling {

/// The program of `list_schedule`, every policy tried in a constant evaluation of its own.
/// `Schedule` says where stages are and how many micro-batches a device may hold.
template <typename Schedule, int Devices, int Stages, int MicroBatches, typename Costs>
struct rows_by_policy {
 private:
  /// How well a policy does, of those up to its number.
  struct result {
    int number = 0;
    std::int64_t makespan = never;
  };

  template <typename Use>
  static constexpr auto with_task(const Use& use) {
    const stage_graph graph = Costs::make(Stages, 1);
    const list<int> device_of_stage = Schedule::place(Devices, Stages);
    return use(make_task(Devices, device_of_stage, MicroBatches, graph.view()));
  }

  template <int Number>
  static consteval result attempt() {
    if constexpr (Number < 0) {
      return {};
    } else {
      return with_task([](const task& work) {
        result best = best_of<Number - 1>;
        if (Number == 0 || is_tried(work, Number, best.makespan, least_makespan(work))) {
          const run tried(work, Schedule::bound_of(Devices), policy_of(Number), best.makespan);
          if (Number == 0 || tried.makespan() < best.makespan) {
            best = {Number, tried.makespan()};
          }
        }
        return best;
      });
    }
  }

  template <int Number>
  static constexpr result best_of = attempt<Number>();

  static constexpr program make() {
    return with_task([](const task& work) {
      constexpr int best = best_of<policies - 1>.number;
      return run(work, Schedule::bound_of(Devices), policy_of(best)).rows();
    });
  }

  static constexpr std::size_t actions =
      static_cast<std::size_t>(Stages) * (3 * static_cast<std::size_t>(MicroBatches) + 1);

 public:
  static constexpr problem fault = {};
  static constexpr auto joined = freeze_program<program_sizes{
      static_cast<std::size_t>(Devices), static_cast<std::size_t>(Stages), actions, 0}>(make());
};

}  // namespace list_scheduling

/// A schedule made for the costs of its stages: `make_for` tries the heuristics of Zero Bubble and
/// keeps the program with the least makespan. A device holds at most `Bound` micro-batches in each
/// stage it has; 0 stands for 2p - 1 on p devices, with which no device need wait for memory.
template <int Bound = 0>
struct zero_bubble_list : placed_schedule<zero_bubble_list<Bound>> {
  static constexpr std::string_view name = "zb-list";

  /// It tries up to nine orders, each of all devices together: with every one of them in one
  /// constant evaluation, or with one in each.
  static constexpr int most_made_at_once = 256;
  static constexpr int most_made_in_pieces = 2048;

  static constexpr problem fits(int devices, int stages, int) {
    if (Bound < 0) {
      problem found = rules::problem_of_schedule(name);
      found.expected = "a bound of at least 0";
      found.got << Bound;
      found.hint = "it is how many micro-batches a device holds in each of its stages";
      return found;
    }
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
    return list_schedule(devices, device_of_stage, micro_batches, graph, bound_of(devices));
  }

  /// How many micro-batches a device may hold in each of its stages.
  static constexpr int bound_of(int devices) { return Bound == 0 ? 2 * devices - 1 : Bound; }

  /// The same for a large program: see `pieced_schedule`.
  template <int Devices, int Stages, int MicroBatches, typename Costs>
  using rows_in_pieces =
      list_scheduling::rows_by_policy<zero_bubble_list, Devices, Stages, MicroBatches, Costs>;
};

}  // namespace ipu_dsl
