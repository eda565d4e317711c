// SPDX-License-Identifier: MIT
// Everything that one run says about a program: the proof, slots and times.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/slots.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

namespace ipu_dsl {

/// What a program is found to be. Without a proof there is nothing but the verdict.
struct analysis {
  verdict found;
  list<int> slots;              ///< [edges] so many that no action is delayed
  list<timed_action> timeline;  ///< [actions] asynchronous
};

/// Proves a program with as many slots as delay none of its actions. One run suffices for all of
/// it: with these slots every write comes after the last reader of the slot's previous tenant, so
/// that the run without limits is also the run with them.
constexpr analysis analyse(const program_view& rows, const stage_graph_view& graph,
                           std::string_view name = "mine", const proof_limits& limits = {}) {
  analysis made;
  made.found = proof::prove_and(rows, graph, {}, name, limits,
                                [&made](const run_input& input, const in_order_run& run) {
                                  made.slots = slots_of_run(input, run);
                                  made.timeline = times_of(run, input.rows, input.duration);
                                });
  return made;
}

/// The slots found on a short program, on the real one: as they are if it is proven with them and
/// as fast as `unlimited`, else with one more on every edge, else so many that no action is
/// delayed.
constexpr list<int> confirm_without_stall(const program_view& rows, const stage_graph_view& graph,
                                          const analysis& unlimited, list_view<int> found) {
  const std::int64_t least = makespan_of(unlimited.timeline);
  list<int> slots;
  slots.append(found);
  for (int attempt = 0; attempt < 2; ++attempt) {
    bool as_fast = false;
    proof::prove_and(
        rows, graph, slots, "confirmed", {},
        [&](const run_input&, const in_order_run& run) { as_fast = run.makespan() == least; });
    if (as_fast) {
      return slots;
    }
    raise_slots(slots, rows.micro_batches);
  }
  return unlimited.slots;
}

}  // namespace ipu_dsl
