// SPDX-License-Identifier: MIT
// From transient lists to exact arrays that a constexpr variable can hold.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/packed_counts.hpp>
#include <ipu_dsl/schedule/program.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>

namespace ipu_dsl {

/// `Size` values in static storage; the size may be 0.
template <typename T, std::size_t Size>
struct frozen_list {
  T elements[Size == 0 ? 1 : Size] = {};

  constexpr list_view<T> view() const { return {elements, Size}; }

  template <std::integral Index>
  constexpr const T& operator[](Index index) const {
    return elements[index];
  }

  constexpr const T* begin() const { return elements; }

  constexpr const T* end() const { return elements + Size; }

  static constexpr std::size_t size() { return Size; }
};

/// The first `Size` of some values, of a list or what else has them one behind the other.
template <std::size_t Size, typename Values>
constexpr auto freeze_list(const Values& values) {
  frozen_list<std::remove_cvref_t<decltype(*values.data())>, Size> frozen;
  const auto* const from = values.data();
  for (std::size_t i = 0; i < Size; ++i) {
    frozen.elements[i] = from[i];
  }
  return frozen;
}

/// A program in static storage. `Slots` is `Actions`, or 0 for a program without slots.
template <std::size_t Devices, std::size_t Stages, std::size_t Actions, std::size_t Slots = Actions>
struct frozen_program {
  int micro_batches = 0;
  frozen_list<int, Stages> device_of_stage;
  frozen_list<action, Actions> actions;
  frozen_list<int, Devices + 1> row_begin;
  frozen_list<int, Slots> slot;
  weight_policy weights;

  constexpr program_view view() const {
    return {static_cast<int>(Devices),
            static_cast<int>(Stages),
            micro_batches,
            device_of_stage.view(),
            actions.view(),
            row_begin.view(),
            slot.view(),
            weights};
  }
};

/// The sizes of a program, which are what freezing needs to know before it happens.
struct program_sizes {
  std::size_t devices = 0;
  std::size_t stages = 0;
  std::size_t actions = 0;
  std::size_t slots = 0;

  /// All of them in one number.
  constexpr std::uint64_t packed() const {
    return packed_count(devices, 8, 56) + packed_count(stages, 8, 48) +
           packed_count(actions, 24, 24) + packed_count(slots, 24, 0);
  }
};

constexpr program_sizes unpack_program_sizes(std::uint64_t packed) {
  return {unpacked_count(packed, 8, 56), unpacked_count(packed, 8, 48),
          unpacked_count(packed, 24, 24), unpacked_count(packed, 24, 0)};
}

constexpr program_sizes sizes_of(const program_view& rows) {
  return {rows.row_begin.size() - 1, rows.device_of_stage.size(), rows.actions.size(),
          rows.slot.size()};
}

constexpr program_sizes sizes_of(const program& rows) {
  return sizes_of(rows.view());
}

/// The program with exact extents; the sizes must be those of `rows`.
template <program_sizes Sizes>
constexpr auto freeze_program(const program_view& rows) {
  // Built in place: assigning an array costs steps of constant evaluation per element.
  return frozen_program<Sizes.devices, Sizes.stages, Sizes.actions, Sizes.slots>{
      rows.micro_batches,
      freeze_list<Sizes.stages>(rows.device_of_stage),
      freeze_list<Sizes.actions>(rows.actions),
      freeze_list<Sizes.devices + 1>(rows.row_begin),
      freeze_list<Sizes.slots>(rows.slot),
      rows.weights,
  };
}

template <program_sizes Sizes>
constexpr auto freeze_program(const program& rows) {
  return freeze_program<Sizes>(rows.view());
}

/// A stage graph in static storage.
template <std::size_t Edges, std::size_t Readers, std::size_t Costs>
struct frozen_stage_graph {
  int stages = 0;
  frozen_list<edge, Edges> edges;
  frozen_list<step, Readers> readers;
  frozen_list<stage_cost, Costs> costs;
  std::int64_t hop = 0;

  constexpr stage_graph_view view() const {
    return {stages, edges.view(), readers.view(), costs.view(), hop};
  }
};

template <std::size_t Edges, std::size_t Readers, std::size_t Costs>
constexpr frozen_stage_graph<Edges, Readers, Costs> freeze_stage_graph(const stage_graph& graph) {
  return {graph.stages, freeze_list<Edges>(graph.edges), freeze_list<Readers>(graph.readers),
          freeze_list<Costs>(graph.costs), graph.hop};
}

/// `freeze<[] { return grouped::make(2, 2, 4); }>()`: a generator's program in static storage.
/// The generator runs twice, once for the sizes.
template <auto Make>
consteval auto freeze() {
  constexpr program_sizes sizes = sizes_of(Make());
  return freeze_program<sizes>(Make());
}

}  // namespace ipu_dsl
