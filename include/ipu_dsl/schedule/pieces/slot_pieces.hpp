// SPDX-License-Identifier: MIT
// The slots of a large program with which it is as fast as with any number, and its time slots, a
// part of the work in each constant evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/pieces/analysis_pieces.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/schedule/time_slots.hpp>

namespace ipu_dsl::pieces {

/// How much one constant evaluation does: actions that run in the trials of a search, actions that
/// run with the slots found, and actions that are given time slots.
inline constexpr int searched_at_once = 12288;
inline constexpr int confirmed_at_once = 6144;
inline constexpr int given_at_once = 8192;

/// The most edges x stages x micro-batches of a short program that is searched, because every edge
/// is tried on all of it: those of a plain pipeline of 16 stages x 32 micro-batches take a second.
inline constexpr std::int64_t most_searched = 65536;

/// Where a search stands, in static storage.
template <std::size_t Edges>
struct frozen_search {
  frozen_list<int, Edges> slots;
  int link = 0;  ///< the edge to go on with
};

/// The search before its first edge.
template <std::size_t Edges>
constexpr frozen_search<Edges> begin_search(const program_view& rows) {
  frozen_search<Edges> begun;
  for (int& count : begun.slots.elements) {
    count = rows.micro_batches;
  }
  return begun;
}

/// The search after as many trials more as one evaluation does.
template <std::size_t Edges>
constexpr frozen_search<Edges> search_on(const frozen_search<Edges>& before,
                                         const program_view& rows, const stage_graph_view& graph) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  const list<std::int64_t> duration = durations(graph);
  slot_search::searched search = {rows, steps, waits, duration,
                                  slots_or_unbounded(rows, graph, before.slots.view())};
  int trials = at_once(searched_at_once, graph) / (static_cast<int>(rows.actions.size()) + 1);
  constexpr int least = slot_search::trials_of_run + 1;  // to come further
  trials = trials < least ? least : trials;
  const int link = slot_search::lower_edges(search, before.link, static_cast<int>(Edges), trials);
  return {freeze_list<Edges>(search.slots), link};
}

/// Time slots as far as they have been given, in static storage.
template <std::size_t Devices, std::size_t Actions>
struct frozen_time_slots {
  frozen_list<int, Actions> slot;
  frozen_list<int, Devices> next;
  int done = 0;  ///< actions in the order of the run

  constexpr slotting::slot_cells cells() { return {slot.elements, next.elements}; }
};

/// What a program runs with: slots found on a short one (`Brief`, with the `rows` of fewer
/// micro-batches) if the real one is as fast with them as with any number, else one more on every
/// edge, else as many as delay no action at all. See `analysis_in_pieces` for `Program`; where it
/// is not proven, there is nothing.
template <typename Program, typename Brief>
struct slots_in_pieces {
  using analysed = analysis_in_pieces<Program>;

  static constexpr program_view rows = Program::rows;

 private:
  static constexpr stage_graph_view graph = Program::graph;
  static constexpr std::size_t actions = rows.actions.size();
  static constexpr std::size_t edges = graph.edges.size();
  static constexpr int all_actions = static_cast<int>(actions);
  static constexpr int all_edges = static_cast<int>(edges);

  using run = typename analysed::run;
  using slot_counts = frozen_list<int, edges>;

  // The search on the short program.

  template <int Piece>
  static constexpr frozen_search<edges> search() {
    if constexpr (Piece == 0) {
      return begin_search<edges>(Brief::rows);
    } else {
      return search_on(searched_after<Piece - 1>, Brief::rows, graph);
    }
  }

  template <int Piece>
  static constexpr frozen_search<edges> searched_after = search<Piece>();

  template <int Piece = 0>
  static constexpr const slot_counts& find() {
    if constexpr (searched_after<Piece>.link == all_edges) {
      return searched_after<Piece>.slots;
    } else {
      return find<Piece + 1>();
    }
  }

  // The real program with what was found.

  static constexpr int attempts = 2;  // as it was found, and one more on every edge

  template <int Attempt>
  static constexpr slot_counts make_tried() {
    if constexpr (Attempt == attempts) {
      return analysed::slots;
    } else if constexpr (Attempt == 0) {
      return find();
    } else {
      list<int> raised;
      raised.append(tried<Attempt - 1>.view());
      raise_slots(raised, rows.micro_batches);
      return freeze_list<edges>(raised);
    }
  }

  template <int Attempt>
  static constexpr slot_counts tried = make_tried<Attempt>();

  template <int Attempt>
  static constexpr run_tables tables() {
    return analysed::tables(tried<Attempt>.view());
  }

  static constexpr int run_piece = at_once(confirmed_at_once, graph);
  static constexpr int runs = pieces_of(all_actions, run_piece);

  template <int Attempt, int Piece>
  static constexpr run make_run() {
    if constexpr (Piece == 0) {
      return begin_frozen_run<run>(rows);
    } else {
      return run_on(run_after<Attempt, Piece - 1>, tables<Attempt>(), run_piece);
    }
  }

  template <int Attempt, int Piece>
  static constexpr run run_after = make_run<Attempt, Piece>();

  // Whether no device overwrites what it still has to read.

  static constexpr int own_piece = slots_at_once / rows.micro_batches;
  static constexpr int own_pieces = pieces_of(all_edges, own_piece);

  template <int Attempt, int Piece>
  static constexpr bool keeps_some =
      proof::find_overwritten(tables<Attempt>().input(),
                              {Piece * own_piece, (Piece + 1) * own_piece})
          .writer == 0;

  template <int Attempt, int... Piece>
  static constexpr bool keeps_own(std::integer_sequence<int, Piece...>) {
    return (keeps_some<Attempt, Piece> && ...);
  }

  template <int Attempt>
  static constexpr bool is_as_fast() {
    if constexpr (!keeps_own<Attempt>(std::make_integer_sequence<int, own_pieces>())) {
      return false;
    } else {
      return run_after<Attempt, runs>.complete(rows) &&
             run_after<Attempt, runs>.makespan() == analysed::last_run.makespan();
    }
  }

  template <int Attempt>
  static constexpr bool as_fast = is_as_fast<Attempt>();

  static constexpr bool is_searched =
      analysed::proven &&
      std::int64_t{all_edges} * Brief::rows.stages * Brief::rows.micro_batches <= most_searched;

  /// The first attempt that is as fast, or `attempts`.
  template <int Attempt = 0>
  static constexpr int choose() {
    if constexpr (Attempt == attempts || !is_searched) {
      return attempts;
    } else if constexpr (as_fast<Attempt>) {
      return Attempt;
    } else {
      return choose<Attempt + 1>();
    }
  }

  static constexpr int chosen = choose();

  // Time slots.

  using frozen_slots = frozen_time_slots<static_cast<std::size_t>(rows.devices), actions>;

  static constexpr bool has_time_slots() {
    if constexpr (!analysed::proven || rows.slot.empty()) {
      return false;
    } else {
      const run_tables read = analysed::tables();
      const run_input input = read.input();
      return slots_agree_with_data(rows, input.steps, input.waits);
    }
  }

  static constexpr int given_piece = at_once(given_at_once, graph);
  static constexpr int given_pieces = pieces_of(all_actions, given_piece);

  template <int Piece>
  static constexpr frozen_slots make_time_slots() {
    if constexpr (Piece == 0) {
      return {};
    } else {
      frozen_slots given = time_slots_after<Piece - 1>;
      const run_tables read = analysed::tables();
      const int end = Piece == given_pieces ? all_actions : Piece * given_piece;
      given.done = slotting::give_slots(read.input(), analysed::last_run.order.elements, given.done,
                                        end, given.cells());
      if (Piece == given_pieces) {
        slotting::share_last_slot(rows, given.slot.elements);
      }
      return given;
    }
  }

  template <int Piece>
  static constexpr frozen_slots time_slots_after = make_time_slots<Piece>();

  static constexpr list_view<int> find_time_slots() {
    if constexpr (!analysed::proven) {
      return {};
    } else if constexpr (has_time_slots()) {
      return rows.slot;
    } else {
      return time_slots_after<given_pieces>.slot.view();
    }
  }

 public:
  static constexpr const slot_counts& slots = tried<chosen>;       ///< [edges]
  static constexpr list_view<int> time_slots = find_time_slots();  ///< [actions]

  // Of a proven program.

  /// The run with these slots, and what its pieces read.
  static constexpr const run& last_run = run_after<chosen, runs>;

  static constexpr run_tables slot_tables() { return tables<chosen>(); }

  static constexpr stage_graph_view stages = graph;

  /// [actions] asynchronous start and end with these slots.
  static constexpr frozen_list<timed_action, actions> timeline =
      timeline_of(last_run, analysed::tables());
};

}  // namespace ipu_dsl::pieces
