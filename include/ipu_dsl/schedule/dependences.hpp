// SPDX-License-Identifier: MIT
// The edges of a stage graph sorted by the steps that read and write them.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>
#include <ipu_dsl/schedule/step_table.hpp>

namespace ipu_dsl {

/// Lists of numbers by key, chained through one array: `for (int k = first[key]; k != 0; k =
/// next[k])` visits `value[k]`.
struct keyed_lists {
  list<int> first;
  list<int> next = {0};
  list<int> value = {0};

  constexpr explicit keyed_lists(int keys) : first(static_cast<std::size_t>(keys), 0) {}

  constexpr void add(int key, int number) {
    int& head = first[static_cast<std::size_t>(key)];
    next.push_back(head);
    value.push_back(number);
    head = static_cast<int>(value.size()) - 1;
  }
};

/// What the steps of a stage graph wait for, by role row (`role_row`). Only the first reader of a
/// stage waits for the writer and only the last frees the slot: the row of the stage orders the
/// others between them.
struct dependences {
  keyed_lists read;     ///< role row of a reader -> role rows of writers it waits for
  keyed_lists written;  ///< role row of a writer -> edges whose slots it fills
  keyed_lists freed;    ///< edge -> role rows of the readers that free its slots
  list<int> writer;     ///< [edges] role row of the writer

  constexpr dependences(int stages, int edges)
      : read(stages * step_roles), written(stages * step_roles), freed(edges) {}
};

/// As the writer of an edge.
constexpr step_role role_of_writer(action_kind kind) {
  switch (kind) {
    case action_kind::forward:
      return step_role::forward;
    case action_kind::recompute:
      return step_role::recompute;
    case action_kind::weight_gradient:
      return step_role::backward_end;
    default:
      return step_role::backward_begin;
  }
}

/// As a reader that needs the data: the input gradient is the first half of a backward.
constexpr step_role role_of_first_reader(action_kind kind) { return role_of_writer(kind); }

/// As a reader after which the slot is free: the weight gradient is the last half of a backward.
constexpr step_role role_of_last_reader(action_kind kind) {
  return kind == action_kind::backward ? step_role::backward_end : role_of_writer(kind);
}

namespace dependence {

/// Whether no reader of the same stage comes before reader `which`.
constexpr bool is_first_reader(const edge& link, int which) {
  const step reader = link.readers[which];
  const int rank = static_cast<int>(role_of_first_reader(reader.kind));
  for (int other = 0; other < link.reader_count; ++other) {
    const int other_rank = static_cast<int>(role_of_first_reader(link.readers[other].kind));
    if (link.readers[other].stage == reader.stage &&
        (other_rank < rank || (other_rank == rank && other < which))) {
      return false;
    }
  }
  return true;
}

/// Whether no reader of the same stage comes after reader `which`.
constexpr bool is_last_reader(const edge& link, int which) {
  const step reader = link.readers[which];
  const int rank = static_cast<int>(role_of_last_reader(reader.kind));
  for (int other = 0; other < link.reader_count; ++other) {
    const int other_rank = static_cast<int>(role_of_last_reader(link.readers[other].kind));
    if (link.readers[other].stage == reader.stage &&
        (other_rank > rank || (other_rank == rank && other > which))) {
      return false;
    }
  }
  return true;
}

}  // namespace dependence

/// The dependences of a stage graph for a program. In a program that only goes forward, steps of
/// the backward do not exist: a forward frees what a backward would have freed after it, and what
/// no step reads needs no slot.
constexpr dependences sort_edges(const stage_graph_view& graph, bool forward_only) {
  const int edges = static_cast<int>(graph.edges.size());
  dependences sorted(graph.stages, edges);
  for (int number = 0; number < edges; ++number) {
    edge link = graph.edges[static_cast<std::size_t>(number)];
    if (forward_only) {
      const edge whole = link;
      link.reader_count = 0;
      for (int which = 0; which < whole.reader_count; ++which) {
        if (whole.readers[which].kind == action_kind::forward) {
          link.read_by(whole.readers[which].stage, action_kind::forward);
        }
      }
    }
    const int writer = role_row(link.writer.stage, role_of_writer(link.writer.kind));
    sorted.writer.push_back(writer);
    sorted.written.add(writer, number);
    for (int which = 0; which < link.reader_count; ++which) {
      const step reader = link.readers[which];
      // The rows of a stage hold the order of its own actions, which the proof checks first.
      if (reader.stage != link.writer.stage && dependence::is_first_reader(link, which)) {
        sorted.read.add(role_row(reader.stage, role_of_first_reader(reader.kind)), writer);
      }
      if (dependence::is_last_reader(link, which)) {
        sorted.freed.add(number, role_row(reader.stage, role_of_last_reader(reader.kind)));
      }
    }
  }
  return sorted;
}

}  // namespace ipu_dsl
