// SPDX-License-Identifier: MIT
// How many slots an edge needs: to run at all, and to run without waiting for slots.
#pragma once

#include <cstdint>
#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/joined_step.hpp>
#include <ipu_dsl/schedule/latest_starts.hpp>
#include <ipu_dsl/schedule/proven_rows.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

namespace ipu_dsl {

namespace slot_search {

/// What a search over one program looks at.
struct searched {
  const program_view& rows;
  const step_table& steps;
  const dependences& waits;
  list_view<std::int64_t> duration;
  list<int> slots;  ///< [edges] found so far, or unbounded
};

/// Whether every reader of the `write`-th write of an edge has run.
constexpr bool read_by_all(const searched& search, const in_order_run& run, int link, int write) {
  const int micro_batches = search.rows.micro_batches;
  const int tenant =
      search.steps.by_order.data()[search.waits.writer.data()[link] * micro_batches + write];
  for (int k = search.waits.freed.first.data()[link]; k != 0;
       k = search.waits.freed.next.data()[k]) {
    const int row = search.waits.freed.value.data()[k] * micro_batches;
    const int reader = search.steps.by_micro_batch.data()[row + tenant];
    if (reader != 0 && !run.ran(reader - 1)) {
      return false;
    }
  }
  return true;
}

/// The slots of an edge for given times: as many as there are writes before the readers of the
/// first of them are done. Times are arrays by action index + 1.
constexpr int slots_for(const searched& search, int link, const std::int64_t* start,
                        const std::int64_t* end) {
  const int micro_batches = search.rows.micro_batches;
  const int* const by_micro_batch = search.steps.by_micro_batch.data();
  const int writer_row = search.waits.writer.data()[link] * micro_batches;
  const int* const writers = by_micro_batch + writer_row;
  const int* const order = search.steps.by_order.data() + writer_row;
  const int* const next = search.waits.freed.next.data();
  const int* const row = search.waits.freed.value.data();
  const int first = search.waits.freed.first.data()[link];
  int needed = 1;
  int write = 0;
  std::int64_t latest = 0;
  for (int read = 0; read < micro_batches; ++read) {
    for (int k = first; k != 0; k = next[k]) {
      const int reader = by_micro_batch[row[k] * micro_batches + order[read]];
      latest = latest < end[reader] ? end[reader] : latest;
    }
    for (; write < micro_batches && start[writers[order[write]]] < latest; ++write) {
    }
    needed = needed < write - read ? write - read : needed;
  }
  return needed;
}

/// When the steps of the rows begin and end, in actions: all the time there is within a device.
/// Arrays by action index + 1.
class row_times {
 public:
  constexpr explicit row_times(const program_view& rows)
      : begins_(rows.actions.size() + 1), ends_(joins_any(rows) ? rows.actions.size() + 1 : 0) {
    std::int64_t* const begin = begins_.data();
    const int count = static_cast<int>(rows.actions.size());
    for (int number = 0; number <= count; ++number) {
      begin[number] = number;
    }
    for (int index = 0; !ends_.empty() && index < count; ++index) {
      const joined_range step = joined_with(rows, index);
      begin[index + 1] = step.first + 1;
      ends_.data()[index + 1] = step.last + 1;
    }
  }

  constexpr const std::int64_t* begins() const { return begins_.data(); }

  constexpr const std::int64_t* ends() const {
    return ends_.empty() ? begins_.data() : ends_.data();
  }

 private:
  list<std::int64_t> begins_;
  list<std::int64_t> ends_;  // empty where each action is a step
};

/// The least slots of an edge while the others keep theirs: everything else runs as far as it can
/// before each write, so that at each write as few tenants as possible are unread. Exact, because a
/// network of in-order devices has one farthest state.
constexpr int least_slots_of(const searched& search, int link) {
  list<int> slots = search.slots;
  slots.data()[link] = search.rows.micro_batches;
  in_order_run run({search.rows, search.steps, search.waits, slots, search.duration});
  run.hold(search.waits.writer.data()[link]);
  run.advance();
  int least = 1;
  int read = 0;
  for (int write = 0; run.held_action() >= 0; ++write) {
    while (read < write && read_by_all(search, run, link, read)) {
      ++read;
    }
    least = least < write - read + 1 ? write - read + 1 : least;
    run.release();
    run.advance();
  }
  return least;
}

/// What has become of an edge of a search.
struct lowering_result {
  bool found = false;    ///< the least slots; else the search goes on from there
  bool delayed = false;  ///< with them somebody is delayed, so that the run is another
};

/// Gives an edge the least slots that do not move the makespan while the others keep theirs: tried
/// downwards from what delays nobody to what the latest starts of the writers allow, as long as
/// there are `trials` left. `run` is the run with the slots of the search.
constexpr lowering_result lower_slots(searched& search, int link, const in_order_run& run,
                                      const list<std::int64_t>& latest_start, int& trials) {
  const int least = slots_for(search, link, latest_start.data(), run.ends());
  const int undelayed = slots_for(search, link, run.starts(), run.ends());
  int enough = undelayed;
  bool found = enough <= least;
  for (; !found && trials > 0; --trials) {
    search.slots.data()[link] = enough - 1;
    in_order_run trial({search.rows, search.steps, search.waits, search.slots, search.duration});
    trial.advance();
    const bool as_fast = trial.complete() && trial.makespan() == run.makespan();
    enough -= as_fast ? 1 : 0;
    found = !as_fast || enough <= least;
  }
  search.slots.data()[link] = enough;
  return {found, enough < undelayed};
}

/// What a run and the latest starts in it cost, in trials.
inline constexpr int trials_of_run = 3;

/// Gives the edges [link, end) their least slots, as long as there are `trials` left; the edge to
/// go on with. More slots are never slower, so that it does not matter where a search was cut.
constexpr int lower_edges(searched& search, int link, int end, int& trials) {
  const row_times place(search.rows);
  bool found = true;
  while (link < end && found && trials > 0) {
    // The run is repeated only after an edge was given fewer slots than delay nobody.
    trials -= trials_of_run;
    const list<int> slots_of_run = search.slots;
    const run_input input = {search.rows, search.steps, search.waits, slots_of_run,
                             search.duration};
    in_order_run run(input);
    run.advance();
    const list<std::int64_t> latest_start = latest_starts(input, run);
    bool delayed = false;
    while (link < end && found && !delayed) {
      if (search.waits.within.data()[link]) {
        search.slots.data()[link] = slots_for(search, link, place.begins(), place.ends());
      } else {
        const lowering_result result = lower_slots(search, link, run, latest_start, trials);
        found = result.found;
        delayed = result.delayed;
      }
      link += found ? 1 : 0;
    }
  }
  return link;
}

}  // namespace slot_search

/// The least slots with which a proven program never waits forever: lexicographic, edge by edge in
/// the order of the graph, each least while the later ones are unbounded. `known` are the slots of
/// the edges before the range; the result holds [edges], the later ones unbounded.
constexpr list<int> least_slots(const program_view& rows, const stage_graph_view& graph,
                                edge_range range = {}, list_view<int> known = {}) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<std::int64_t> duration = durations(graph);
  const slot_search::row_times place(rows);
  slot_search::searched search = {rows, steps, waits, duration,
                                  slots_or_unbounded(rows, graph, known)};
  for (int link = range.begin; link < static_cast<int>(search.slots.size()); ++link) {
    if (range.contains(link)) {
      search.slots.data()[link] =
          waits.within.data()[link]
              ? slot_search::slots_for(search, link, place.begins(), place.ends())
              : slot_search::least_slots_of(search, link);
    }
  }
  return std::move(search.slots);
}

/// As many slots as delay no action of a complete run without limits, of the edges in a range.
constexpr list<int> slots_of_run(const run_input& input, const in_order_run& run,
                                 edge_range range = {}) {
  const slot_search::row_times place(input.rows);
  const slot_search::searched search = {input.rows, input.steps, input.waits, input.duration, {}};
  const int edges = static_cast<int>(input.slots.size());
  const int end = edges < range.end ? edges : range.end;
  list<int> slots;
  for (int link = range.begin; link < end; ++link) {
    slots.push_back(input.waits.within.data()[link]
                        ? slot_search::slots_for(search, link, place.begins(), place.ends())
                        : slot_search::slots_for(search, link, run.starts(), run.ends()));
  }
  return slots;
}

/// As many slots as delay no action of a proven program, compared with unbounded ones: one run, and
/// at most a few slots more than `slots_without_stall`, which is for programs small enough to
/// search.
constexpr list<int> slots_without_delay(const program_view& rows, const stage_graph_view& graph) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<std::int64_t> duration = durations(graph);
  const list<int> unbounded = unbounded_slots(rows, graph);
  const run_input input = {rows, steps, waits, unbounded, duration};
  in_order_run run(input);
  run.advance();
  return slots_of_run(input, run);
}

/// The least slots with which a proven program is as fast, asynchronously, as with unbounded ones;
/// lexicographic as above.
constexpr list<int> slots_without_stall(const program_view& rows, const stage_graph_view& graph,
                                        edge_range range = {}, list_view<int> known = {}) {
  require_proven(rows, graph, known);
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<std::int64_t> duration = durations(graph);
  slot_search::searched search = {rows, steps, waits, duration,
                                  slots_or_unbounded(rows, graph, known)};
  const int edges = static_cast<int>(search.slots.size());
  int trials = in_order_run::unlimited;
  slot_search::lower_edges(search, range.begin, edges < range.end ? edges : range.end, trials);
  return std::move(search.slots);
}

/// One slot more on every edge that is not unbounded yet.
constexpr void raise_slots(list<int>& slots, int micro_batches) {
  for (int& count : slots) {
    count = count < micro_batches ? count + 1 : count;
  }
}

/// The slots found on a short program, on the real one, raised until no device waits forever.
constexpr list<int> confirm_least(const program_view& rows, const stage_graph_view& graph,
                                  list_view<int> found) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<std::int64_t> duration = durations(graph);
  list<int> slots = slots_or_unbounded(rows, graph, found);
  for (int attempt = 0; attempt < rows.micro_batches; ++attempt) {
    in_order_run run({rows, steps, waits, slots, duration});
    run.advance();
    if (run.complete()) {
      break;
    }
    raise_slots(slots, rows.micro_batches);
  }
  return slots;
}

/// How many micro-batches a search looks at: at most four times the stages, so that its cost does
/// not grow with the run; of deep pipelines twice, which is a full round of the schedules here.
/// Counts that the schedule refuses are passed over.
template <schedule_type Schedule>
constexpr int searched_micro_batches(int devices, int stages, int micro_batches, purpose aim) {
  int count = stages <= 8 ? 4 * stages : 2 * stages < 32 ? 32 : 2 * stages;
  while (count < micro_batches && Schedule::allows(devices, stages, count, aim).found()) {
    ++count;
  }
  return count < micro_batches ? count : micro_batches;
}

}  // namespace ipu_dsl
