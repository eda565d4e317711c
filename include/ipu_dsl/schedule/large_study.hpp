// SPDX-License-Identifier: MIT
// A study of a schedule too large for one constant evaluation, made of many small ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <ipu_dsl/schedule/pieces/frozen_dependences.hpp>
#include <ipu_dsl/schedule/pieces/row_pieces.hpp>
#include <ipu_dsl/schedule/pieces/run_pieces.hpp>
#include <ipu_dsl/schedule/pieces/walk_pieces.hpp>
#include <ipu_dsl/schedule/whole_study.hpp>

namespace ipu_dsl {

namespace pieces {

/// How much one constant evaluation does, so that it takes three quarters of clang's 1,048,576
/// steps at most: actions of rows that are walked, actions that run, and micro-batches of edges
/// that are asked for slots.
inline constexpr int walked_at_once = 16384;
inline constexpr int run_at_once = 8192;
inline constexpr int slots_at_once = 32768;

constexpr int pieces_of(int whole, int piece) {
  return (whole + piece - 1) / piece;
}

/// What the rows are found to be before they run.
struct standing {
  verdict found;
  bool forward_only = false;
};

}  // namespace pieces

/// What `study` is for a large schedule (65,792 actions are tested: 64 devices x 4 stages each x
/// 128 micro-batches): every constant evaluation does a part of the work and takes up what the one
/// before left. Rows are made one by one where the schedule has a `make_row`, or in other pieces
/// (`pieced_schedule`); otherwise whole, in one evaluation. Slots of lockstep come with the latter
/// alone.
///
/// `static_assert(large_study<interleaved_one_f_one_b, 64, 256, 128>::facts.makespan == 1725);`
template <schedule_type Schedule, int Devices, int Stages, int MicroBatches,
          typename Costs = unit_costs>
struct large_study {
 private:
  static constexpr bool makes_pieces = row_schedule<Schedule> || pieced_schedule<Schedule>;

  /// Where rows come from that are not made all together.
  template <typename Of = Schedule>
  static constexpr auto find_rows() {
    if constexpr (row_schedule<Of>) {
      return std::type_identity<pieces::rows_by_device<Of, Devices, Stages, MicroBatches>>();
    } else {
      return std::type_identity<
          typename Of::template rows_in_pieces<Devices, Stages, MicroBatches, Costs>>();
    }
  }

  template <typename Of = Schedule>
  using pieced_rows = typename decltype(find_rows<Of>())::type;

  static constexpr problem allow() {
    problem found;
    if constexpr (!makes_pieces) {
      found = studying::allow_at_once<Schedule>(Devices, Stages, MicroBatches);
    } else {
      constexpr problem counts = studying::allow_up_to<Schedule>(
          studying::most_made_in_pieces<Schedule>(), Devices, Stages, MicroBatches);
      if constexpr (counts.found()) {
        found = counts;
      } else {
        found = pieced_rows<>::fault;
      }
    }
    return found;
  }

  static constexpr problem refused = allow();

  static constexpr program_view make_rows() {
    if constexpr (refused.found()) {
      return {};
    } else if constexpr (makes_pieces) {
      return pieced_rows<>::joined.view();
    } else {
      return studying::rows_at_once<Schedule, Devices, Stages, MicroBatches, Costs>::frozen.view();
    }
  }

 public:
  static constexpr program_view rows = make_rows();

 private:
  static constexpr int copies = rows.weights.copies;
  static constexpr int micro_batches = rows.micro_batches;  // of each copy
  static constexpr std::size_t actions = rows.actions.size();
  static constexpr std::size_t edges = Costs::make(Stages, copies).edges.size();

  static constexpr auto frozen_stage_graph =
      freeze_stage_graph<edges, Costs::make(Stages, copies).costs.size()>(
          Costs::make(Stages, copies));
  static constexpr stage_graph_view graph = frozen_stage_graph.view();

  using walked = pieces::walked_rows<static_cast<std::size_t>(Stages),
                                     static_cast<std::size_t>(micro_batches), actions>;
  using frozen_run = pieces::frozen_run<static_cast<std::size_t>(Devices), actions>;

  static constexpr bool malformed = !refused.found() && proof::malformed(rows, graph, {});
  static constexpr bool begins = !refused.found() && !malformed &&
                                 !is_sparse(rows.actions.size(), rows.stages, rows.micro_batches);

  // The rows by themselves.

  template <int Piece>
  static constexpr walked make_walked() {
    if constexpr (Piece == 0) {
      return {};
    } else {
      return pieces::walk_on(walked_after<Piece - 1>, rows, Schedule::name, pieces::walked_at_once);
    }
  }

  template <int Piece>
  static constexpr walked walked_after = make_walked<Piece>();

  static constexpr int walks = begins ? pieces::count_walks(rows, pieces::walked_at_once) : 0;

  static constexpr pieces::standing make_standing() {
    pieces::standing made;
    if constexpr (refused.found()) {
      made.found.fault = refused;
      made.found.kind = schedule_fault::malformed;
    } else if constexpr (malformed) {
      made.found = proof::explain_malformed(rows, 0, Schedule::name);
    } else if constexpr (!begins) {
      made.found = proof::explain_sparse(rows, Schedule::name);
    } else {
      made.found = pieces::judge_walked(
          walked_after<walks>, rows, graph, Schedule::name,
          [&made](const proof::examination& exam) { made.forward_only = exam.forward_only; });
    }
    return made;
  }

  static constexpr pieces::standing standing = make_standing();

  // The run.

  static constexpr bool stands = standing.found.proven();

  static constexpr int runs =
      stands ? pieces::pieces_of(static_cast<int>(actions), pieces::run_at_once) : 0;

  using frozen_waits =
      pieces::frozen_dependences<graph.costs.size(), edges, pieces::count_readers(graph)>;

  static constexpr frozen_waits sort() {
    if constexpr (stands) {
      return frozen_waits(sort_edges(graph, rows.device_of_stage, standing.forward_only));
    } else {
      return {};
    }
  }

  static constexpr frozen_waits waits = sort();

  static constexpr pieces::run_tables tables() {
    return {walked_after<walks>.view(), rows, graph, waits.copy()};
  }

  template <int Piece>
  static constexpr frozen_run make_run() {
    if constexpr (Piece == 0) {
      return pieces::begin_frozen_run<frozen_run>(rows);
    } else {
      return pieces::run_on(run_after<Piece - 1>, tables(), pieces::run_at_once);
    }
  }

  template <int Piece>
  static constexpr frozen_run run_after = make_run<Piece>();

  /// What is found of the whole run: all of it has run, or what is left waits forever.
  static constexpr problem make_fault() {
    if constexpr (stands) {
      return pieces::judge_run(run_after<runs>, tables(), graph, Schedule::name).fault;
    } else {
      return standing.found.fault;
    }
  }

 public:
  static constexpr problem fault = make_fault();
  static constexpr const problem& value = fault;

 private:
  static constexpr bool proven = !fault.found();

  // Slots and times.

  static constexpr int edges_at_once =
      pieces::slots_at_once / (micro_batches < 1 ? 1 : micro_batches);

  template <int Piece>
  static constexpr frozen_list<int, edges> make_slots() {
    if constexpr (Piece == 0) {
      return {};
    } else {
      return pieces::add_slots(slots_after<Piece - 1>, run_after<runs>, tables(),
                               edge_range{(Piece - 1) * edges_at_once, Piece * edges_at_once});
    }
  }

  template <int Piece>
  static constexpr frozen_list<int, edges> slots_after = make_slots<Piece>();

  static constexpr int slot_pieces =
      proven ? pieces::pieces_of(static_cast<int>(edges), edges_at_once) : 0;

  using times = frozen_list<timed_action, actions>;

  static constexpr times make_timeline() {
    if constexpr (proven) {
      return pieces::timeline_of(run_after<runs>, tables());
    } else {
      return {};
    }
  }

  static constexpr times frozen_timeline = make_timeline();

  static constexpr ipu_dsl::facts make_facts() {
    return proven ? facts_of(rows, frozen_timeline.view()) : ipu_dsl::facts();
  }

 public:
  static constexpr std::span<const int> slots = slots_after<slot_pieces>.view();
  static constexpr std::span<const timed_action> timeline =
      frozen_timeline.view().first(proven ? actions : 0);
  static constexpr ipu_dsl::facts facts = make_facts();
};

}  // namespace ipu_dsl
