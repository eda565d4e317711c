// SPDX-License-Identifier: MIT
// The analysis of a large program, a part of the work in each constant evaluation.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/pieces/frozen_dependences.hpp>
#include <ipu_dsl/schedule/pieces/run_pieces.hpp>
#include <ipu_dsl/schedule/pieces/walk_pieces.hpp>

namespace ipu_dsl::pieces {

/// How much one constant evaluation does, so that it takes three quarters of clang's 1,048,576
/// steps at most: actions of rows that are walked, actions that run with as many slots as
/// micro-batches, and micro-batches of edges that are asked for slots.
inline constexpr int walked_at_once = 16384;
inline constexpr int run_at_once = 8192;
inline constexpr int slots_at_once = 32768;

/// How many actions one evaluation looks at that looks at `plain` of a plain pipeline: fewer, the
/// more readers a stage of the graph has.
constexpr int at_once(int plain, const stage_graph_view& graph) {
  constexpr int readers_of_plain = 5;
  const int readers = static_cast<int>(count_readers(graph)) / graph.stages;
  return readers <= readers_of_plain ? plain
                                     : plain * 2 * readers_of_plain / (readers_of_plain + readers);
}

constexpr int pieces_of(int whole, int piece) {
  return (whole + piece - 1) / piece;
}

/// What the rows are found to be before they run.
struct standing {
  verdict found;
  bool forward_only = false;
};

/// What `analyse` tells of a program too large for one constant evaluation: each takes up what the
/// one before left. `Program` has in static storage the `rows`, the `graph` that they are proven
/// against, the `name` of their schedule, and a `fault` if there is nothing to analyse.
template <typename Program>
struct analysis_in_pieces {
 private:
  static constexpr program_view rows = Program::rows;
  static constexpr stage_graph_view graph = Program::graph;
  static constexpr int micro_batches = rows.micro_batches;  // of each copy
  static constexpr std::size_t devices = static_cast<std::size_t>(rows.devices);
  static constexpr std::size_t stages = static_cast<std::size_t>(rows.stages);
  static constexpr std::size_t actions = rows.actions.size();
  static constexpr std::size_t edges = graph.edges.size();

  using walked = walked_rows<stages, static_cast<std::size_t>(micro_batches), actions>;

  static constexpr bool refused = Program::fault.found();
  static constexpr bool malformed = !refused && proof::malformed(rows, graph, {});
  static constexpr bool begins =
      !refused && !malformed && !is_sparse(actions, rows.stages, micro_batches);

  // The rows by themselves.

  template <int Piece>
  static constexpr walked make_walked() {
    if constexpr (Piece == 0) {
      return {};
    } else {
      return walk_on(walked_after<Piece - 1>, rows, Program::name, walked_at_once);
    }
  }

  template <int Piece>
  static constexpr walked walked_after = make_walked<Piece>();

  static constexpr int walks = begins ? count_walks(rows, walked_at_once) : 0;

  static constexpr standing make_standing() {
    standing made;
    if constexpr (refused) {
      made.found.fault = Program::fault;
      made.found.kind = schedule_fault::malformed;
    } else if constexpr (malformed) {
      made.found = proof::explain_malformed(rows, graph, 0, Program::name);
    } else if constexpr (!begins) {
      made.found = proof::explain_sparse(rows, Program::name);
    } else {
      made.found = judge_walked(
          walked_after<walks>, rows, graph, Program::name,
          [&made](const proof::examination& exam) { made.forward_only = exam.forward_only; });
    }
    return made;
  }

  static constexpr standing stood = make_standing();

  // The run.

  static constexpr bool stands = stood.found.proven();

  using frozen_waits = frozen_dependences<stages, edges, count_readers(graph)>;

  static constexpr frozen_waits sort() {
    if constexpr (stands) {
      return frozen_waits(sort_edges(graph, rows.device_of_stage, stood.forward_only));
    } else {
      return {};
    }
  }

  static constexpr frozen_waits waits = sort();

  static constexpr int run_piece = at_once(run_at_once, graph);
  static constexpr int runs = stands ? pieces_of(static_cast<int>(actions), run_piece) : 0;

 public:
  using run = frozen_run<devices, actions>;

  /// What the pieces of a run read; it runs with these slots, or with as many as micro-batches.
  static constexpr run_tables tables(list_view<int> slots_per_edge = {}) {
    return {walked_after<walks>.view(), rows, graph, waits.copy(), slots_per_edge};
  }

 private:
  template <int Piece>
  static constexpr run make_run() {
    if constexpr (Piece == 0) {
      return begin_frozen_run<run>(rows);
    } else {
      return run_on(run_after<Piece - 1>, tables(), run_piece);
    }
  }

  template <int Piece>
  static constexpr run run_after = make_run<Piece>();

  /// What is found of the whole run: all of it has run, or what is left waits forever.
  static constexpr problem make_fault() {
    if constexpr (stands) {
      return judge_run(run_after<runs>, tables(), graph, Program::name).fault;
    } else {
      return stood.found.fault;
    }
  }

 public:
  static constexpr problem fault = make_fault();
  static constexpr bool proven = !fault.found();

  /// The state behind the last action.
  static constexpr const run& last_run = run_after<runs>;

 private:
  static constexpr int edges_at_once = slots_at_once / (micro_batches < 1 ? 1 : micro_batches);

  template <int Piece>
  static constexpr frozen_list<int, edges> make_slots() {
    if constexpr (Piece == 0) {
      return {};
    } else {
      return add_slots(slots_after<Piece - 1>, last_run, tables(),
                       edge_range{(Piece - 1) * edges_at_once, Piece * edges_at_once});
    }
  }

  template <int Piece>
  static constexpr frozen_list<int, edges> slots_after = make_slots<Piece>();

  static constexpr int slot_pieces = proven ? pieces_of(static_cast<int>(edges), edges_at_once) : 0;

 public:
  /// [edges] so many that no action is delayed; zeros if the program is not proven.
  static constexpr const frozen_list<int, edges>& slots = slots_after<slot_pieces>;
};

}  // namespace ipu_dsl::pieces
