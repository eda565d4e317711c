// SPDX-License-Identifier: MIT
// Which slot of an edge a micro-batch lives in, and which action is the first and the last to use
// it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/plan/program_plan_view.hpp>

namespace ipu_dsl {

/// A slot of an edge that nobody reads any more.
struct freed_slot {
  std::byte* memory = nullptr;
  std::int64_t bytes = 0;
};

/// The slots of all edges: [edges, micro-batches]. The k-th write of an edge goes to slot k modulo
/// their number, as the proof has it.
inline list<std::int32_t> slots_of_micro_batches(const program_plan_view& plan) {
  const int edges = static_cast<int>(plan.edges.size());
  const int micro_batches = plan.actions.micro_batches;
  list<std::int32_t> slots(edges * micro_batches);
  for (int edge = 0; edge < edges; ++edge) {
    int written = 0;
    for (const action& what : plan.actions.actions) {
      if (does(what, plan.edges[edge].writer)) {
        slots[edge * micro_batches + what.micro_batch] = written % plan.slots[edge];
        ++written;
      }
    }
  }
  return slots;
}

/// The action that does the last work on a slot of an edge. Readers stand in an order in which a
/// micro-batch can meet them.
inline step last_user(const program_plan_view& plan, const edge& link) {
  return link.reader_count > 0 ? plan.readers_of(link).back() : link.writer;
}

/// Whether the last of an edge's readers really comes last: what only ends a backward and the
/// backward of another stage come in either order.
inline bool last_is_known(const program_plan_view& plan, const edge& link) {
  const step last = last_user(plan, link);
  const int kind = static_cast<int>(last.kind);
  for (const step& reader : plan.readers_of(link)) {
    if (ends_backward[kind] && !begins_backward[kind] && reader.stage != last.stage &&
        reader.kind != action_kind::forward) {
      return false;
    }
  }
  return true;
}

/// Whether a slot of an edge is free when an action ends.
inline bool freed_by(const program_plan_view& plan, const action& what, const edge& link) {
  return last_is_known(plan, link) && does(what, last_user(plan, link));
}

/// Whether an action takes a slot of which it is not known before that nobody reads it any more.
inline bool taken_by(const program_plan_view& plan, const action& what, const edge& link) {
  return !last_is_known(plan, link) && does(what, link.writer);
}

}  // namespace ipu_dsl
