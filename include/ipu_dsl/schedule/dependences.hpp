// SPDX-License-Identifier: MIT
// The edges of a stage graph sorted by the steps that read and write them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>
#include <ipu_dsl/schedule/step_table.hpp>

namespace ipu_dsl {

/// Lists of numbers by key, chained through one array: `for (int k = first[key]; k != 0; k =
/// next[k])` visits `value[k]`.
struct keyed_lists {
  list<int> first;
  list<int> next = {0};
  list<int> value = {0};

  constexpr explicit keyed_lists(int keys) : first(keys) {}

  constexpr void add(int key, int number) {
    int& head = first[key];
    next.push_back(head);
    value.push_back(number);
    head = static_cast<int>(value.size()) - 1;
  }
};

/// What the steps of a stage graph wait for, by role row (`role_row`). Only the first reader of a
/// stage waits for the writer and only the last frees the slot: the row of the stage orders the
/// others between them. An edge within one device makes nobody wait for a slot: its row alone
/// decides, and the proof looks at it apart (`within`).
struct dependences {
  keyed_lists read;     ///< role row of a reader -> role rows of writers it waits for
  keyed_lists written;  ///< role row of a writer -> edges whose slots it waits for
  keyed_lists freed;    ///< edge -> role rows of the readers that free its slots
  list<std::int64_t> read_delay = {0};  ///< by entry of `read`: the hop between devices
  list<int> writer;                     ///< [edges] role row of the writer
  list<bool> within;                    ///< [edges] whether writer and readers share a device

  constexpr dependences(int stages, int edges)
      : read(stages * step_roles), written(stages * step_roles), freed(edges) {}
};

namespace dependence {

/// Whether no reader of the same stage comes before reader `which`. A recomputation, which not
/// every program does, stands in for nobody; nor does it below.
constexpr bool is_first_reader(const step* readers, int count, int which) {
  const step reader = readers[which];
  const int rank = static_cast<int>(first_role[static_cast<int>(reader.kind)]);
  for (int other = 0; other < count; ++other) {
    const int other_rank = static_cast<int>(first_role[static_cast<int>(readers[other].kind)]);
    if (readers[other].stage == reader.stage && readers[other].kind != action_kind::recompute &&
        (other_rank < rank || (other_rank == rank && other < which))) {
      return false;
    }
  }
  return true;
}

/// Whether no reader of the same stage comes after reader `which`.
constexpr bool is_last_reader(const step* readers, int count, int which) {
  const step reader = readers[which];
  const int rank = static_cast<int>(last_role[static_cast<int>(reader.kind)]);
  for (int other = 0; other < count; ++other) {
    const int other_rank = static_cast<int>(last_role[static_cast<int>(readers[other].kind)]);
    if (readers[other].stage == reader.stage && readers[other].kind != action_kind::recompute &&
        (other_rank > rank || (other_rank == rank && other > which))) {
      return false;
    }
  }
  return true;
}

}  // namespace dependence

/// What is left of the edges in a program that only goes forward, where steps of the backward do
/// not exist.
constexpr stage_graph forward_part(const stage_graph_view& whole) {
  stage_graph part;
  part.stages = whole.stages;
  part.hop = whole.hop;
  for (const edge& link : whole.edges) {
    part.add_edge(link.writer, link.bytes);
    for (const step& reader : whole.readers_of(link)) {
      if (reader.kind == action_kind::forward) {
        part.read_by(reader.stage, reader.kind);
      }
    }
  }
  return part;
}

/// The dependences of a stage graph for stages on devices.
constexpr dependences sort_edges(const stage_graph_view& graph, list_view<int> device_of_stage,
                                 bool forward_only) {
  if (forward_only) {
    const stage_graph part = forward_part(graph);
    return sort_edges(part.view(), device_of_stage, false);
  }
  const int edges = static_cast<int>(graph.edges.size());
  const int* const device = device_of_stage.data();
  dependences sorted(graph.stages, edges);
  for (int number = 0; number < edges; ++number) {
    const edge& link = graph.edges[number];
    const step* const readers = graph.readers.data() + link.first_reader;
    const int writer = role_row(link.writer.stage, first_role[static_cast<int>(link.writer.kind)]);
    bool within = true;
    for (int which = 0; which < link.reader_count; ++which) {
      const step reader = readers[which];
      within = within && device[reader.stage] == device[link.writer.stage];
      // The row of a stage holds the order of its own actions, which the proof checks first.
      if (reader.stage != link.writer.stage &&
          dependence::is_first_reader(readers, link.reader_count, which)) {
        sorted.read.add(role_row(reader.stage, first_role[static_cast<int>(reader.kind)]), writer);
        sorted.read_delay.push_back(device[reader.stage] == device[link.writer.stage] ? 0
                                                                                      : graph.hop);
      }
      if (dependence::is_last_reader(readers, link.reader_count, which)) {
        sorted.freed.add(number, role_row(reader.stage, last_role[static_cast<int>(reader.kind)]));
      }
    }
    if (!within) {
      sorted.written.add(writer, number);
    }
    sorted.writer.push_back(writer);
    sorted.within.push_back(within);
  }
  return sorted;
}

/// The dependences of a proven program.
constexpr dependences sort_edges(const stage_graph_view& graph, const program_view& rows,
                                 const step_table& steps) {
  return sort_edges(graph, rows.device_of_stage, only_forward(steps, rows.stages));
}

/// Visits the actions that write what an action reads: `visit(index of the writer, hop)`. What asks
/// this of every action of a large program walks the lists itself, which costs a constant
/// evaluation less.
template <typename Visit>
constexpr void for_each_writer(const step_view& steps, const dependences& waits, const action& what,
                               Visit visit) {
  if (!uses_edges(what.kind)) {
    return;
  }
  const int row = role_row(what.stage, first_role[static_cast<int>(what.kind)]);
  const int last_row = role_row(what.stage, last_role[static_cast<int>(what.kind)]);
  for (int reading = row; reading <= last_row; ++reading) {
    for (int k = waits.read.first.data()[reading]; k != 0; k = waits.read.next.data()[k]) {
      const int cell = waits.read.value.data()[k] * steps.micro_batches + what.micro_batch;
      const int writer = steps.by_micro_batch.data()[cell];
      if (writer != 0) {
        visit(writer - 1, waits.read_delay.data()[k]);
      }
    }
  }
}

}  // namespace ipu_dsl
