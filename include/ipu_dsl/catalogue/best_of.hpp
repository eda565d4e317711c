// SPDX-License-Identifier: MIT
// The schedule that ends first, of several, for the costs of the stages at hand.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>
#include <ipu_dsl/schedule/whole_study.hpp>

namespace ipu_dsl {

/// Makes the program of each schedule that takes the counts, proves and times it without barriers,
/// and keeps the one with the least makespan; of equal ones the first named.
/// `best_of<interleaved, zb_h1, zero_bubble_list<>>`.
///
/// Memory is not compared, and a schedule is judged on the placement it has by itself. Schedules
/// with two copies of the weights have stage graphs of their own and are only comparable with each
/// other.
template <schedule_type... Schedules>
  requires(sizeof...(Schedules) > 0)
struct best_of {
  static constexpr std::string_view name = "best-of";

  /// All of them are made, proven and timed in one constant evaluation.
  static constexpr std::int64_t most_made_at_once = [] {
    constexpr std::int64_t shared = 1024;
    const std::int64_t most = shared / static_cast<std::int64_t>(sizeof...(Schedules));
    std::int64_t least = shared;
    std::int64_t slow = 0;
    for (const std::int64_t made : {studying::most_made_at_once<Schedules>()...}) {
      least = least < made ? least : made;
      slow += made < shared ? 1 : 0;
    }
    least = slow > 0 ? least / slow : most;
    return least < most ? least : most;
  }();

  /// The counts are those of at least one of the schedules. If there is none, the hint is what each
  /// of them says.
  static constexpr problem allows(int devices, int stages, int micro_batches, purpose aim) {
    if ((!Schedules::allows(devices, stages, micro_batches, aim).found() || ...)) {
      return {};
    }
    problem found = rules::problem_of_schedule(name);
    found.expected = "counts that one of its schedules takes";
    found.got << how_many(devices, "device") << ", " << how_many(stages, "stage") << " and "
              << how_many(micro_batches, "micro-batch");
    (append_hint(found, Schedules::name, Schedules::allows(devices, stages, micro_batches, aim)),
     ...);
    return found;
  }

  /// How many devices the first schedule wants.
  static constexpr int devices_for(int stages) {
    int devices = 0;
    ((devices = devices == 0 ? default_devices<Schedules>(stages) : devices), ...);
    return devices;
  }

  /// The best for stages that all cost the same, in which a whole backward takes two forwards.
  static constexpr program make(int devices, int stages, int micro_batches) {
    const stage_graph graph = chain_stage_graph(stages);
    return make_for(devices, micro_batches, graph.view());
  }

  /// The best for the costs of a stage graph; without actions if none of the schedules is proven
  /// for it.
  static constexpr program make_for(int devices, int micro_batches, const stage_graph_view& graph) {
    return choose(devices, micro_batches, graph).rows;
  }

  /// Evaluate and predict: the forward program of the first schedule that takes the counts.
  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    program rows;
    (void)(make_first_forward<Schedules>(rows, devices, stages, micro_batches) || ...);
    return rows;
  }

  /// The name of the schedule that `make_for` takes; empty if there is none.
  static constexpr std::string_view chosen(int devices, int micro_batches,
                                           const stage_graph_view& graph) {
    return choose(devices, micro_batches, graph).name;
  }

 private:
  struct candidate {
    program rows;
    std::int64_t makespan = 0;
    std::string_view name;
  };

  static constexpr void append_hint(problem& found, std::string_view of, const problem& said) {
    found.hint << (found.hint.empty() ? "" : "; ") << of << ": ";
    if (said.hint.empty()) {
      found.hint << said.expected;
    } else {
      found.hint << said.hint;
    }
  }

  static constexpr candidate choose(int devices, int micro_batches, const stage_graph_view& graph) {
    candidate best;
    (consider<Schedules>(best, devices, micro_batches, graph), ...);
    return best;
  }

  template <typename Schedule>
  static constexpr void consider(candidate& best, int devices, int micro_batches,
                                 const stage_graph_view& graph) {
    if (Schedule::allows(devices, graph.stages, micro_batches, purpose::training).found()) {
      return;
    }
    program rows = make_program_for<Schedule>(devices, micro_batches, graph, purpose::training);
    if (!prove(rows.view(), graph, {}, Schedule::name).proven()) {
      return;
    }
    const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph);
    const std::int64_t makespan = facts_of(rows.view(), timeline).makespan;
    if (best.name.empty() || makespan < best.makespan) {
      best.rows = std::move(rows);
      best.makespan = makespan;
      best.name = Schedule::name;
    }
  }

  template <typename Schedule>
  static constexpr bool make_first_forward(program& rows, int devices, int stages,
                                           int micro_batches) {
    const bool takes =
        !Schedule::allows(devices, stages, micro_batches, purpose::inference).found();
    if (takes) {
      rows = Schedule::make_forward(devices, stages, micro_batches);
    }
    return takes;
  }
};

}  // namespace ipu_dsl
