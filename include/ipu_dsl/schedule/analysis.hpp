// SPDX-License-Identifier: MIT
// Everything that one run says about a program: the proof, slots, times and facts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/slots.hpp>

namespace ipu_dsl {

/// What a program is found to be. Without a proof there is nothing but the verdict.
struct analysis {
  verdict found;
  list<int> slots;              ///< [edges] so many that no action is delayed
  list<timed_action> timeline;  ///< [actions] asynchronous
  facts modelled;               ///< of the timeline
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
                                  made.modelled = facts_of(input.rows, made.timeline);
                                });
  return made;
}

}  // namespace ipu_dsl
