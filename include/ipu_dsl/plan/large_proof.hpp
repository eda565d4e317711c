// SPDX-License-Identifier: MIT
// The proof of a program of a compiled model that is too large for one constant evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/proven_slots.hpp>
#include <ipu_dsl/plan/unproven_programs.hpp>
#include <ipu_dsl/schedule/pieces/order_pieces.hpp>
#include <ipu_dsl/schedule/pieces/slot_pieces.hpp>
#include <ipu_dsl/schedule/pieces/wait_pieces.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Whether one constant evaluation proves a program and finds its slots: a search tries every edge
/// on all of a short program.
template <compiled_model C, program_kind Kind>
inline constexpr bool is_proven_at_once = static_cast<std::int64_t>(plan_sizes_of<C, Kind>.edges) *
                                              C::stages * micro_batches_of<C, Kind> <=
                                          2048;

/// See `prove_with_slots`, which does the same in one evaluation.
template <compiled_model C, program_kind Kind>
struct large_proof {
 private:
  using schedule = typename C::schedule_type;
  static constexpr purpose aim = purpose_of(Kind);
  static constexpr int devices = C::settings.devices;

  static constexpr program_plan_sizes extents = plan_sizes_of<C, Kind>;

  /// What the program is proven against.
  static constexpr auto stages =
      freeze_stages<extents.edges, extents.readers, static_cast<std::size_t>(C::stages)>(
          unproven_plan_of<C, Kind>());

  struct whole {
    static constexpr std::string_view name = schedule::name;
    static constexpr problem fault = refuse_unlowered(actions_of<C, Kind>, schedule::name);
    static constexpr program_view rows = actions_of<C, Kind>;
    static constexpr stage_graph_view graph = stages.view();
  };

  /// The stages as the costs of a schedule that looks at them.
  struct measured {
    static constexpr stage_graph make(int, int) { return copy_of(stages.view()); }
  };

  /// A search on the real program would grow with the square of the micro-batches.
  struct brief {
    static constexpr int searched =
        searched_micro_batches<schedule>(devices, C::stages, micro_batches_of<C, Kind>, aim);

    static constexpr program make() {
      return make_program_for<schedule>(devices, searched, stages.view(), aim);
    }

    static constexpr auto freeze() {
      constexpr program_sizes sizes = sizes_of(make());
      return freeze_program<sizes>(make());
    }

    static constexpr program_view find() {
      if constexpr (searched == micro_batches_of<C, Kind>) {
        return whole::rows;
      } else if constexpr (makes_in_pieces<schedule>(C::stages, searched, aim)) {
        return pieces::schedule_rows<schedule, devices, C::stages, searched, measured>::rows;
      } else {
        return at_once<>.view();
      }
    }

    template <typename...>
    static constexpr auto at_once = freeze();

    static constexpr program_view rows = find();
  };

  using proven = pieces::slots_in_pieces<whole, brief>;

  static constexpr auto make_lockstep() {
    program_view rows = whole::rows;
    rows.slot = proven::time_slots;
    return freeze_list<whole::rows.actions.size()>(
        timeline_of_slots(rows, whole::graph, rows.slot));
  }

  template <typename...>
  static constexpr auto frozen_lockstep = make_lockstep();

 public:
  /// Enters what was found.
  static constexpr void enter(program_plan& plan) {
    plan.fault = proven::analysed::fault;
    if (!plan.fault.found()) {
      plan.slots.append(proven::slots.view());
      plan.time_slots.append(proven::time_slots);
    }
    plan.slots.resize(plan.memory.edges.size(), 1);
    plan.time_slots.resize(plan.actions.actions.size(), 0);
  }

  // Of a proven program, with its slots.

  /// [actions] when each starts and ends.
  static constexpr list_view<timed_action> timeline() { return proven::timeline.view(); }

  /// The same with a barrier after every time slot.
  static constexpr list_view<timed_action> lockstep_timeline() { return frozen_lockstep<>.view(); }

  using waits = pieces::waits_in_pieces<proven>;
  using order = pieces::order_in_pieces<proven>;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
