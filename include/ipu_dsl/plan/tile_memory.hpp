// SPDX-License-Identifier: MIT
// How much of the tiles' memory a planned program takes, by a model of a machine.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/machine/device_memory.hpp>
#include <ipu_dsl/plan/nest_map.hpp>
#include <ipu_dsl/plan/program_plan.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The grids over which outputs are dealt. The extents of one layer come up again and again, so
/// that the last few are remembered: a search for each would take most of the steps that clang
/// allows.
class chosen_grids {
 public:
  constexpr explicit chosen_grids(std::int32_t tiles) : tiles_(tiles) {}

  constexpr tile_grid of(std::int64_t rows, std::int64_t columns) {
    for (const known& entry : known_) {
      if (entry.rows == rows && entry.columns == columns) {
        return entry.grid;
      }
    }
    known& entry = known_[next_];
    next_ = (next_ + 1) % remembered;
    entry = {rows, columns, choose_grid(rows, columns, tiles_)};
    return entry.grid;
  }

 private:
  static constexpr int remembered = 8;

  struct known {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    tile_grid grid;
  };

  std::int32_t tiles_;
  known known_[remembered] = {};
  int next_ = 0;
};

/// The largest block of a buffer's home: the blocks in which it is written. Rows are samples, or
/// all axes of a parameter but the last.
constexpr tile_block home_of(const buffer& memory, std::int32_t batch, chosen_grids& grids) {
  const shape& extents = memory.extents;
  std::int64_t columns = extents.elements();
  std::int64_t rows = std::int64_t{batch} * memory.samples;
  const bool whole = memory.lies == storage::panels || memory.lies == storage::plain;
  if (whole || memory.life != buffer_life::micro_batch) {
    const std::int64_t last = extents.rank > 1 ? extents[extents.rank - 1] : columns;
    rows = columns / last;
    columns = last;
  }
  return tile_map(rows, columns, grids.of(rows, columns)).busiest();
}

/// Bytes on the busiest tile of the homes of `buffers`, for `Count` of them from `first` on.
template <std::size_t Count>
constexpr frozen_list<std::int64_t, Count> home_bytes_of(list_view<buffer> buffers,
                                                         std::size_t first, std::int32_t batch,
                                                         std::int32_t tiles) {
  chosen_grids grids(tiles);
  frozen_list<std::int64_t, Count> bytes;
  for (std::size_t i = 0; i < Count; ++i) {
    const buffer& memory = buffers[first + i];
    bytes.elements[i] = home_of(memory, batch, grids).elements() * bytes_of(memory.type);
  }
  return bytes;
}

/// Bytes of the private copies that the busiest tile needs for a call.
constexpr std::int64_t copied_bytes(const lowered_view& program, std::size_t index,
                                    std::int32_t batch, chosen_grids& grids) {
  const emitted_call& row = program.calls[index];
  const access_view& all = program.accesses;
  const call_access& noted = all.calls[index];
  const list_view<access_axis> axes = axes_of(all, noted);
  std::int64_t most = 0;
  for (std::int32_t nest = 0; nest < noted.nests; ++nest) {
    const nest_extents extents(axes, nest);
    const nest_block block =
        nest_map(axes, nest, extents, grids.of(extents.rows, extents.columns)).busiest();
    std::int64_t bytes = 0;
    for (const operand_access& operand : operands_of(all, noted)) {
      if (operand.nest == nest && !lies_at_home(all, axes, operand)) {
        const std::int32_t number = row.first_operand + operand.operand;
        const buffer& memory = program.buffers[program.operands[number]];
        bytes += reached_elements(all, operand, block, batch) * bytes_of(memory.type);
      }
    }
    most = bytes > most ? bytes : most;
  }
  return most;
}

/// The same of `Count` calls from `first` on.
template <std::size_t Count>
constexpr frozen_list<std::int64_t, Count> copied_bytes_of(const lowered_view& program,
                                                           std::size_t first, std::int32_t batch,
                                                           std::int32_t tiles) {
  chosen_grids grids(tiles);
  frozen_list<std::int64_t, Count> bytes;
  for (std::size_t i = 0; i < Count; ++i) {
    bytes.elements[i] = copied_bytes(program, first + i, batch, grids);
  }
  return bytes;
}

/// Counts the bytes on the busiest tile of every device. A tensor's home are the blocks in which it
/// is written; tile 0 has the largest block of each and so is the busiest. What a call reaches and
/// does not have at home lies beside it in private copies while the call runs; of nests that are
/// independent of each other, one after the other. Elements are counted without the padding that
/// the host's vectors need.
class tile_memory_model {
 public:
  constexpr tile_memory_model(const program_plan_view& plan, list_view<buffer> buffers,
                              list_view<std::int64_t> home, list_view<std::int64_t> copies)
      : plan_(plan), buffers_(buffers), home_(home), copies_(copies) {}

  /// [devices]
  constexpr list<tile_use> count() {
    made_.resize(plan_.bytes_of_device.size());
    count_lasting();
    count_edges();
    count_supersteps();
    return made_;
  }

 private:
  constexpr std::int32_t device_of(std::int32_t stage) const {
    return plan_.actions.device_of_stage[stage];
  }

  constexpr void count_lasting() {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const buffer& memory = buffers_[i];
      if (memory.life == buffer_life::micro_batch) {
        continue;
      }
      tile_use& use = made_[device_of(memory.stage)];
      if (memory.life == buffer_life::each_micro_batch) {
        use.kept += home_[i] * plan_.actions.micro_batches;
        continue;
      }
      switch (memory.role) {
        case buffer_role::accumulator:
          use.accumulators += home_[i];
          break;
        case buffer_role::optimizer_slot:
          use.optimizer_slots += home_[i];
          break;
        default:
          use.parameters += home_[i];
          break;
      }
    }
  }

  /// Slots lie on every device that reads them. One that only writes them has a single one, from
  /// which it sends.
  constexpr void count_edges() {
    list<std::int64_t> bytes(plan_.edges.size(), 0);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const std::int32_t edge = plan_.placements[i].edge;
      if (edge >= 0) {
        bytes[edge] += home_[i];
      }
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const edge& flow = plan_.edges[i];
      const std::int32_t writer = device_of(flow.writer.stage);
      bool read_by_writer = false;
      const list_view<step> readers = plan_.readers_of(flow);
      for (std::size_t reader = 0; reader < readers.size(); ++reader) {
        const std::int32_t device = device_of(readers[reader].stage);
        read_by_writer = read_by_writer || device == writer;
        if (first_of_its_device(readers, reader)) {
          made_[device].kept += bytes[i] * plan_.slots[i];
        }
      }
      made_[writer].kept += read_by_writer ? 0 : bytes[i];
    }
  }

  constexpr bool first_of_its_device(list_view<step> readers, std::size_t reader) const {
    for (std::size_t earlier = 0; earlier < reader; ++earlier) {
      if (device_of(readers[earlier].stage) == device_of(readers[reader].stage)) {
        return false;
      }
    }
    return true;
  }

  /// One superstep a call: the scratch that is alive then, and the copies that the call needs.
  constexpr void count_supersteps() {
    const list<std::int64_t> last_call = last_calls();
    list<std::int64_t> dies(plan_.calls.size(), 0);
    list<bool> born(buffers_.size(), false);
    std::int64_t alive = 0;
    for (std::size_t i = 0; i < plan_.calls.size(); ++i) {
      const call& row = plan_.calls[i];
      for (std::int32_t operand = 0; operand < row.writes + row.reads; ++operand) {
        const std::int32_t touched = operand_of(row, operand);
        if (!born[touched] && is_scratch(touched)) {
          born[touched] = true;
          alive += home_[touched];
          dies[last_call[touched]] += home_[touched];
        }
      }
      const std::int64_t bytes = alive + copies_[i];
      std::int64_t& most = made_[device_of(row.stage)].temporary;
      most = bytes > most ? bytes : most;
      alive -= dies[i];
    }
  }

  constexpr bool is_scratch(std::int32_t index) const {
    return plan_.placements[index].edge < 0 && buffers_[index].life == buffer_life::micro_batch;
  }

  /// [buffers]
  constexpr list<std::int64_t> last_calls() const {
    list<std::int64_t> last(buffers_.size(), -1);
    for (std::size_t i = 0; i < plan_.calls.size(); ++i) {
      const call& row = plan_.calls[i];
      for (std::int32_t operand = 0; operand < row.writes + row.reads; ++operand) {
        last[operand_of(row, operand)] = static_cast<std::int64_t>(i);
      }
    }
    return last;
  }

  constexpr std::int32_t operand_of(const call& row, std::int32_t operand) const {
    return plan_.operands[row.first_operand + operand];
  }

  program_plan_view plan_;
  list_view<buffer> buffers_;
  list_view<std::int64_t> home_;    ///< by buffer: bytes on the busiest tile
  list_view<std::int64_t> copies_;  ///< by call: bytes on the busiest tile
  list<tile_use> made_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
