// SPDX-License-Identifier: MIT
// A planned program as those see it who run it: rows of numbers, which know of no vector unit.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/plan/code_table.hpp>
#include <ipu_dsl/schedule/program.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>
#include <ipu_dsl/schedule/waits.hpp>

namespace ipu_dsl {

/// Where a buffer lies. Regions are numbered: devices first, then edges. A buffer of an edge has a
/// copy in each slot. One that every micro-batch of a run has for itself lies on its device, copy
/// behind copy.
struct placement {
  std::int32_t region = 0;
  std::int32_t edge = -1;       ///< -1: on a device
  std::int64_t offset = 0;      ///< bytes, in the region or in the slot
  std::int64_t copy_bytes = 0;  ///< from one micro-batch's copy to the next one's; 0: one for all
};

/// A parameter or a state, or what an optimizer keeps beside one: where it lies and how, what it is
/// and whose.
struct parameter_place {
  std::int32_t region = 0;
  std::int64_t offset = 0;  ///< bytes
  tensor stored;
  layer_title layer;
  std::string_view slot;         ///< of the optimizer; empty: the parameter itself
  std::size_t floats = 0;        ///< that it takes, with its padding
  std::int32_t panel_width = 0;  ///< columns of a panel; 0 if it lies in the order of its shape
  std::uint64_t stream = 0;      ///< of its initial values
};

/// A planned program, read only: all that an executor needs. What comes last is found apart from
/// memory and proof, or after them; until then it is empty.
struct program_plan_view {
  program_view actions;
  list_view<call> calls;
  list_view<std::int32_t> operands;           ///< numbers of buffers
  list_view<placement> placements;            ///< by buffer
  list_view<std::int32_t> first_call;         ///< see lowered_program
  list_view<edge> edges;                      ///< what lives in slots
  list_view<step> readers;                    ///< of all edges
  list_view<int> slots;                       ///< by edge
  list_view<stage_cost> costs;                ///< by stage, modelled
  list_view<std::int64_t> shared_of_device;   ///< by device: see memory_layout
  list_view<std::int64_t> bytes_of_device;    ///< by device
  list_view<std::int32_t> code_of_call = {};  ///< by call, into `codes`
  list_view<kernel_name> codes = {};          ///< the distinct kernels
  list_view<int> first_wait = {};             ///< by action, and the end: see wait_list
  list_view<awaited_count> waits = {};        ///< of all actions
  list_view<int> order = {};                  ///< of all actions: see global_order
  list_view<std::uint64_t> streams = {};      ///< by node: see streams_of_nodes
  std::int32_t replicas = 1;                  ///< that run it together

  constexpr stage_graph_view stages() const { return {actions.stages, edges, readers, costs}; }

  constexpr list_view<step> readers_of(const edge& link) const { return stages().readers_of(link); }

  /// Of the random numbers of a call's node; calls of no node draw none.
  constexpr std::uint64_t stream_of(const call& row) const {
    const auto node = static_cast<std::size_t>(row.node);
    return row.node >= 0 && node < streams.size() ? streams[node] : 0;
  }
};

}  // namespace ipu_dsl
