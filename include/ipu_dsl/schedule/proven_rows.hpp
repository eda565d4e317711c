// SPDX-License-Identifier: MIT
// What is timed when a program runs has been proven, or is refused with a sentence.
#pragma once

#include <type_traits>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/proof.hpp>

namespace ipu_dsl {

/// At run time throws `error` for rows that are not proven with these costs and slots: those who
/// time them would read beyond their ends, or find times of actions that never happen. A compiler
/// refuses such an evaluation by itself, and has proven what it times before.
constexpr void require_proven(const program_view& rows, const stage_graph_view& graph,
                              list_view<int> slots_per_edge = {}) {
  if (!std::is_constant_evaluated()) {
    const verdict found = prove(rows, graph, slots_per_edge, "of these rows");
    if (found.fault.found()) {
      raise_error(found.fault.message());
    }
  }
}

/// The same of rows that may be incomplete or wait forever: refused is what names a stage, a
/// micro-batch or a slot that there is not.
constexpr void require_well_formed(const program_view& rows, const stage_graph_view& graph) {
  if (!std::is_constant_evaluated()) {
    const verdict found = prove(rows, graph, {}, "of these rows");
    if (found.kind == schedule_fault::malformed || found.kind == schedule_fault::unknown) {
      raise_error(found.fault.message());
    }
  }
}

}  // namespace ipu_dsl
