// SPDX-License-Identifier: MIT
// The sorted edges of a stage graph in static storage, so that they are sorted once for all pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/dependences.hpp>
#include <ipu_dsl/schedule/frozen.hpp>

namespace ipu_dsl::pieces {

/// Chained lists with room for `Entries`; a list has as many as were added.
template <std::size_t Keys, std::size_t Entries>
struct frozen_keyed_lists {
  frozen_list<int, Keys> first;
  frozen_list<int, Entries> next;
  frozen_list<int, Entries> value;
  std::size_t count = 0;

  constexpr frozen_keyed_lists() = default;

  constexpr explicit frozen_keyed_lists(const keyed_lists& lists)
      : first(freeze_list<Keys>(lists.first)), count(lists.value.size()) {
    for (std::size_t entry = 0; entry < count; ++entry) {
      next.elements[entry] = lists.next.data()[entry];
      value.elements[entry] = lists.value.data()[entry];
    }
  }

  constexpr void copy_to(keyed_lists& lists) const {
    lists.first = list<int>();
    lists.first.append(first.view());
    lists.next = list<int>();
    lists.next.append({next.elements, count});
    lists.value = list<int>();
    lists.value.append({value.elements, count});
  }
};

/// The dependences of `Edges` edges with `Readers` readers altogether. An entry of each list is for
/// the end of a chain.
template <std::size_t Stages, std::size_t Edges, std::size_t Readers>
struct frozen_dependences {
  static constexpr std::size_t role_rows = Stages * step_roles;

  frozen_keyed_lists<role_rows, Readers + 1> read;
  frozen_keyed_lists<role_rows, Edges + 1> written;
  frozen_keyed_lists<Edges, Readers + 1> freed;
  frozen_list<std::int64_t, Readers + 1> read_delay;
  frozen_list<int, Edges> writer;
  frozen_list<bool, Edges> within;

  constexpr frozen_dependences() = default;

  constexpr explicit frozen_dependences(const dependences& sorted)
      : read(sorted.read),
        written(sorted.written),
        freed(sorted.freed),
        writer(freeze_list<Edges>(sorted.writer)),
        within(freeze_list<Edges>(sorted.within)) {
    for (std::size_t entry = 0; entry < read.count; ++entry) {
      read_delay.elements[entry] = sorted.read_delay.data()[entry];
    }
  }

  constexpr dependences copy() const {
    dependences sorted(0, 0);
    read.copy_to(sorted.read);
    written.copy_to(sorted.written);
    freed.copy_to(sorted.freed);
    sorted.read_delay = list<std::int64_t>();
    sorted.read_delay.append({read_delay.elements, read.count});
    sorted.writer.append(writer.view());
    sorted.within.append(within.view());
    return sorted;
  }
};

/// The readers of all edges.
constexpr std::size_t count_readers(const stage_graph_view& graph) {
  std::size_t count = 0;
  for (const edge& link : graph.edges) {
    count += static_cast<std::size_t>(link.reader_count);
  }
  return count;
}

}  // namespace ipu_dsl::pieces
