// SPDX-License-Identifier: MIT
// A measured run beside its proof: makespans, and the actions that differ most.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/report/action_name.hpp>
#include <ipu_dsl/report/drawn_timeline.hpp>
#include <ipu_dsl/runtime/trace.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

namespace ipu_dsl {

/// What the actions of a kind took in a stage, beside what their cost predicts; nanoseconds.
struct compared_actions {
  action_kind kind = action_kind::forward;
  int stage = 0;
  int count = 0;               ///< in the run, of all replicas
  std::int64_t predicted = 0;  ///< of one
  std::int64_t measured = 0;   ///< of all together
  std::int64_t shortest = 0;
  std::int64_t longest = 0;

  std::int64_t mean() const { return count == 0 ? 0 : measured / count; }

  /// How much longer all of them took than predicted; below 0 if they were faster.
  std::int64_t difference() const { return measured - count * predicted; }
};

/// How long a device did nothing before an action, beside what was fed back; nanoseconds.
struct compared_wait {
  int device = 0;  ///< those of replica after replica
  action what = {};
  std::int64_t fed_back = 0;
  std::int64_t measured = 0;

  std::int64_t difference() const { return measured - fed_back; }
};

/// A traced run held against the proof of its program. Times are nanoseconds.
struct compared_run {
  std::string counts;  ///< "2 devices, 2 stages, 4 micro-batches, 2 workers"
  /// What a unit of cost took, on average over all work: by it costs become times.
  double nanoseconds_of_cost = 0;
  std::int64_t predicted = 0;              ///< makespan of the proven order by modelled costs
  std::int64_t fed_back = 0;               ///< the same by what actions of each kind and stage took
  std::int64_t measured = 0;               ///< first start to last end
  std::vector<compared_actions> actions;   ///< by kind and stage, those that differ most first
  std::vector<traced_action> exceptional;  ///< single ones, the longest beside its like first
  std::vector<compared_wait> waits;        ///< of all actions, those longer than fed back first
};

namespace comparing {

/// One action as all workers of a team did it.
inline void merge(std::vector<traced_action>& all, const traced_action& done) {
  for (traced_action& known : all) {
    if (known.device == done.device && known.what == done.what) {
      known.start = (std::min)(known.start, done.start);
      known.end = (std::max)(known.end, done.end);
      return;
    }
  }
  all.push_back(done);
}

/// The actions of a trace, each once. Only where several workers share a device some come twice.
inline std::vector<traced_action> actions_of(const trace& recorded, int devices) {
  std::vector<traced_action> all;
  for (int worker = 0; worker < recorded.workers(); ++worker) {
    for (const traced_action& done : recorded.of(worker)) {
      if (recorded.workers() > devices) {
        merge(all, done);
      } else {
        all.push_back(done);
      }
    }
  }
  return all;
}

inline int devices_of(const trace& recorded) {
  int devices = 0;
  for (int worker = 0; worker < recorded.workers(); ++worker) {
    for (const traced_action& done : recorded.of(worker)) {
      devices = (std::max)(devices, done.device + 1);
    }
  }
  return devices;
}

/// Throws `error` unless a worker or more played each device.
inline void check_workers(const trace& recorded, int devices) {
  recorded.require_run();
  if (recorded.workers() < devices) {
    raise_error({"A run of ", how_many(devices, "device"), " on ",
                 how_many(recorded.workers(), "worker"),
                 " cannot be held against its proof, in which devices work side by side. Hint: "
                 ".threads = ",
                 devices, "."});
  }
}

/// The number of a kind of a stage.
inline std::size_t cell_of(const action& what) {
  return static_cast<std::size_t>(what.stage * action_kinds) + static_cast<std::size_t>(what.kind);
}

/// An order of actions that differ as much as each other.
inline bool comes_before(int device, const action& what, int other_device, const action& other) {
  return std::tuple(device, what.micro_batch, what.stage, what.kind) <
         std::tuple(other_device, other.micro_batch, other.stage, other.kind);
}

/// By kind and stage, what the actions of a run took. Throws `error` if the run is of another
/// program.
inline std::vector<compared_actions> sums_of(const program_view& rows,
                                             const std::vector<traced_action>& all, int replicas) {
  std::vector<compared_actions> sums(static_cast<std::size_t>(rows.stages * action_kinds));
  for (const traced_action& done : all) {
    if (done.what.stage >= rows.stages) {
      raise_error({"The trace is of another program: it has a stage ", done.what.stage, " of ",
                   rows.stages, "."});
    }
    compared_actions& sum = sums[cell_of(done.what)];
    const std::int64_t took = done.end - done.start;
    sum.kind = done.what.kind;
    sum.stage = done.what.stage;
    sum.shortest = sum.count == 0 ? took : (std::min)(sum.shortest, took);
    sum.longest = (std::max)(sum.longest, took);
    sum.measured += took;
    ++sum.count;
  }
  std::vector<int> wanted(sums.size());
  for (const action& what : rows.actions) {
    wanted[cell_of(what)] += replicas;
  }
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    if (sums[cell].count != wanted[cell]) {
      raise_error({"The trace is of another program: it has ", sums[cell].count, " times ",
                   kind_name(static_cast<action_kind>(cell % action_kinds)), " of stage ",
                   cell / action_kinds, ", the proven one ", wanted[cell], " times."});
    }
  }
  return sums;
}

/// When actions run in the proven order if they take as long as this: [stages x action_kinds].
inline list<timed_action> timeline_with(const program_view& rows, const stage_graph_view& graph,
                                        list_view<int> slots, const list<std::int64_t>& duration) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<int> room = slots_or_unbounded(rows, graph, slots);
  in_order_run run({rows, steps, waits, room, duration});
  run.advance();
  return times_of(run, rows, duration);
}

/// What each device did: [devices]. Workers have recorded it in the order of its row.
inline std::vector<std::vector<traced_action>> rows_of(const std::vector<traced_action>& all,
                                                       int devices) {
  std::vector<std::vector<traced_action>> rows(static_cast<std::size_t>(devices));
  for (const traced_action& done : all) {
    rows[static_cast<std::size_t>(done.device)].push_back(done);
  }
  return rows;
}

/// How long devices waited before their actions, from the first start of all on.
inline std::vector<compared_wait> waits_of(const program_view& rows,
                                           const list<timed_action>& fed_back,
                                           const std::vector<traced_action>& all, int devices) {
  std::int64_t first = all[0].start;
  for (const traced_action& done : all) {
    first = (std::min)(first, done.start);
  }
  std::vector<compared_wait> waits;
  for (const std::vector<traced_action>& row : rows_of(all, devices)) {
    std::int64_t free_at = first;
    std::int64_t free_in_proof = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int index = rows.row_begin[row[i].device % rows.devices] + static_cast<int>(i);
      const timed_action& proven = fed_back[index];
      // The parts of a step run side by side in the proof.
      waits.push_back({row[i].device, row[i].what,
                       (std::max)(proven.start - free_in_proof, std::int64_t{0}),
                       row[i].start - free_at});
      free_at = row[i].end;
      free_in_proof = (std::max)(free_in_proof, proven.end);
    }
  }
  std::sort(waits.begin(), waits.end(), [](const compared_wait& left, const compared_wait& right) {
    return left.difference() != right.difference()
               ? left.difference() > right.difference()
               : comes_before(left.device, left.what, right.device, right.what);
  });
  return waits;
}

inline std::int64_t first_to_last(const std::vector<traced_action>& all) {
  std::int64_t first = all[0].start;
  std::int64_t last = all[0].end;
  for (const traced_action& done : all) {
    first = (std::min)(first, done.start);
    last = (std::max)(last, done.end);
  }
  return last - first;
}

/// By how much an action took longer than others of its kind and stage.
inline std::int64_t excess(const std::vector<compared_actions>& sums, const traced_action& done) {
  return done.end - done.start - sums[cell_of(done.what)].mean();
}

/// Sets what a unit of cost took, and from it what is predicted.
inline void predict(compared_run& made, std::vector<compared_actions>& sums,
                    const list<std::int64_t>& costs, std::int64_t makespan_of_costs) {
  double cost = 0;
  double time = 0;
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    cost += static_cast<double>(costs[cell]) * sums[cell].count;
    time += static_cast<double>(sums[cell].measured);
  }
  made.nanoseconds_of_cost = cost > 0 ? time / cost : 0;
  const auto nanoseconds = [&made](std::int64_t units) {
    return std::llround(made.nanoseconds_of_cost * static_cast<double>(units));
  };
  made.predicted = nanoseconds(makespan_of_costs);
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    sums[cell].predicted = nanoseconds(costs[cell]);
  }
}

}  // namespace comparing

/// Holds a trace against the program that it is of, with its stage graph and slots. With replicas
/// or teams the times are those of all of them. Throws `error` if nothing was traced, if a worker
/// played several devices, or if the trace is of another program.
inline compared_run compare_run(const program_view& rows, const stage_graph_view& graph,
                                list_view<int> slots, const trace& recorded) {
  const int devices = comparing::devices_of(recorded);
  comparing::check_workers(recorded, devices);
  const std::vector<traced_action> all = comparing::actions_of(recorded, devices);
  const int replicas = (devices + rows.devices - 1) / rows.devices;
  std::vector<compared_actions> sums = comparing::sums_of(rows, all, replicas);
  compared_run made;
  made.counts = drawing::counts_text(rows, "device") + ", " +
                std::string(how_many(recorded.workers(), "worker").view());
  const list<std::int64_t> costs = durations(graph);
  comparing::predict(made, sums, costs,
                     makespan_of(comparing::timeline_with(rows, graph, slots, costs)));
  list<std::int64_t> means;
  for (const compared_actions& sum : sums) {
    means.push_back(sum.mean());
  }
  const list<timed_action> fed_back = comparing::timeline_with(rows, graph, slots, means);
  made.fed_back = makespan_of(fed_back);
  made.waits = comparing::waits_of(rows, fed_back, all, devices);
  made.measured = comparing::first_to_last(all);
  made.exceptional = all;
  std::sort(made.exceptional.begin(), made.exceptional.end(),
            [&sums](const traced_action& left, const traced_action& right) {
              const std::int64_t of_left = comparing::excess(sums, left);
              const std::int64_t of_right = comparing::excess(sums, right);
              return of_left != of_right ? of_left > of_right
                                         : comparing::comes_before(left.device, left.what,
                                                                   right.device, right.what);
            });
  for (const compared_actions& sum : sums) {
    if (sum.count > 0) {
      made.actions.push_back(sum);
    }
  }
  std::sort(made.actions.begin(), made.actions.end(),
            [](const compared_actions& left, const compared_actions& right) {
              const std::int64_t of_left = std::abs(left.difference());
              const std::int64_t of_right = std::abs(right.difference());
              return of_left != of_right
                         ? of_left > of_right
                         : std::pair(left.stage, left.kind) < std::pair(right.stage, right.kind);
            });
  return made;
}

}  // namespace ipu_dsl
