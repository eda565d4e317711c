// SPDX-License-Identifier: MIT
// How much of the tiles' memory a planned program takes, by a model of a machine.
#pragma once

#include <cstdint>
#include <span>

#include <ipu_dsl/machine/block_memory.hpp>
#include <ipu_dsl/machine/device_memory.hpp>
#include <ipu_dsl/plan/program_plan.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The extents of what a product writes, and of what it sums over. A call's work is that of the
/// forward product, m samples by n units over k inputs, in all three phases.
struct product_extents {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t reduction = 0;

  friend constexpr bool operator==(const product_extents&, const product_extents&) = default;
};

constexpr product_extents product_of(const call& row) {
  switch (row.phase) {
    case call_phase::input_gradient:
      return {row.cost.m, row.cost.k, row.cost.n};
    case call_phase::weight_gradient:
    case call_phase::update:
      return {row.cost.k, row.cost.n, row.cost.m};
    case call_phase::forward:
      break;
  }
  return {row.cost.m, row.cost.n, row.cost.k};
}

/// The largest blocks of outputs. The extents of one layer come up again and again, so that the
/// last few are remembered: a search for each would take most of the steps that clang allows.
class largest_blocks {
 public:
  constexpr explicit largest_blocks(std::int32_t tiles) : tiles_(tiles) {}

  constexpr tile_block of(std::int64_t rows, std::int64_t columns) {
    for (const known& entry : known_) {
      if (entry.rows == rows && entry.columns == columns) {
        return entry.block;
      }
    }
    known& entry = known_[next_];
    next_ = (next_ + 1) % remembered;
    entry = {rows, columns, tile_map(rows, columns, tiles_).busiest()};
    return entry.block;
  }

  constexpr tile_block of_whole_rows(std::int64_t rows, std::int64_t columns) const {
    return tile_map::of_whole_rows(rows, columns, tiles_).busiest();
  }

 private:
  static constexpr int remembered = 8;

  struct known {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    tile_block block;
  };

  std::int32_t tiles_;
  known known_[remembered] = {};
  int next_ = 0;
};

/// The largest block of a buffer's home: the blocks in which it is written. Rows are samples, or
/// all axes of a parameter but the last.
constexpr tile_block home_of(const graph_view& model, const buffer& memory, std::int32_t batch,
                             largest_blocks& largest) {
  const shape& extents = memory.extents;
  std::int64_t columns = extents.elements();
  std::int64_t rows = batch;
  if (memory.tensor >= 0 && persistent(memory, model.at(memory.tensor))) {
    const std::int64_t last = extents.rank > 1 ? extents[extents.rank - 1] : columns;
    rows = columns / last;
    columns = last;
  }
  return largest.of(rows, columns);
}

/// Bytes on the busiest tile of the homes of `buffers`, for `Count` of them from `first` on.
template <std::size_t Count>
constexpr frozen_list<std::int64_t, Count> home_bytes_of(const graph_view& model,
                                                         std::span<const buffer> buffers,
                                                         std::size_t first, std::int32_t batch,
                                                         std::int32_t tiles) {
  largest_blocks largest(tiles);
  frozen_list<std::int64_t, Count> bytes;
  for (std::size_t i = 0; i < Count; ++i) {
    const buffer& memory = buffers[first + i];
    bytes.elements[i] = home_of(model, memory, batch, largest).elements() * bytes_of(memory.type);
  }
  return bytes;
}

/// Counts the bytes on the busiest tile of every device. A tensor's home are the blocks in which it
/// is written; tile 0 has the largest block of each and so is the busiest. What a call needs from
/// elsewhere lies beside it in private copies while the call runs: for a product its rows and
/// columns, for a reduction whole rows, for a copy what is copied; elementwise calls run where
/// their operands lie. Elements are counted without the padding that the host's vectors need.
class tile_memory_model {
 public:
  constexpr tile_memory_model(const graph_view& model, const program_plan_view& plan,
                              std::span<const buffer> buffers, std::span<const std::int64_t> home,
                              std::int32_t batch, std::int32_t tiles)
      : model_(model),
        plan_(plan),
        buffers_(buffers),
        home_(home),
        batch_(batch),
        largest_(tiles) {}

  /// [devices]
  constexpr list<tile_use> count() {
    made_.resize(plan_.bytes_of_device.size());
    count_lasting();
    count_edges();
    count_supersteps();
    return made_;
  }

 private:
  static constexpr std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  constexpr std::int32_t device_of(std::int32_t stage) const {
    return plan_.actions.device_of_stage[at(stage)];
  }

  constexpr bool lasts(const buffer& memory) const {
    return memory.tensor >= 0 && persistent(memory, model_.at(memory.tensor));
  }

  constexpr void count_lasting() {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const buffer& memory = buffers_[i];
      if (!lasts(memory)) {
        continue;
      }
      tile_use& use = made_[at(device_of(memory.stage))];
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
        bytes[at(edge)] += home_[i];
      }
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const edge& flow = plan_.edges[i];
      const std::int32_t writer = device_of(flow.writer.stage);
      bool read_by_writer = false;
      for (int reader = 0; reader < flow.reader_count; ++reader) {
        const std::int32_t device = device_of(flow.readers[reader].stage);
        read_by_writer = read_by_writer || device == writer;
        if (first_of_its_device(flow, reader)) {
          made_[at(device)].kept += bytes[i] * plan_.slots[i];
        }
      }
      made_[at(writer)].kept += read_by_writer ? 0 : bytes[i];
    }
  }

  constexpr bool first_of_its_device(const edge& flow, int reader) const {
    for (int earlier = 0; earlier < reader; ++earlier) {
      if (device_of(flow.readers[earlier].stage) == device_of(flow.readers[reader].stage)) {
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
        const std::size_t touched = operand_of(row, operand);
        if (!born[touched] && is_scratch(touched)) {
          born[touched] = true;
          alive += home_[touched];
          dies[at(last_call[touched])] += home_[touched];
        }
      }
      const std::int64_t bytes = alive + copied_bytes(row);
      std::int64_t& most = made_[at(device_of(row.stage))].temporary;
      most = bytes > most ? bytes : most;
      alive -= dies[i];
    }
  }

  constexpr bool is_scratch(std::size_t index) const {
    return plan_.placements[index].edge < 0 && !lasts(buffers_[index]);
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

  constexpr std::size_t operand_of(const call& row, std::int32_t operand) const {
    return at(plan_.operands[at(row.first_operand + operand)]);
  }

  constexpr std::int64_t copied_bytes(const call& row) {
    switch (row.cost.kind) {
      case work_kind::matmul:
        return copies_of_product(row);
      case work_kind::reduce:
        return copies_of_rows(row);
      case work_kind::copy:
      case work_kind::gather:
        return copies_of_reads(row);
      case work_kind::none:
      case work_kind::elementwise:
        break;
    }
    return 0;
  }

  /// In the forward product a bias is read as well, one number a column.
  constexpr std::int64_t copies_of_product(const call& row) {
    constexpr std::int64_t bytes = bytes_of(dtype::float32);
    const product_extents product = product_of(row);
    operand_bytes reads = product_operands(product.reduction, bytes);
    if (row.phase == call_phase::forward && row.reads > 2) {
      reads.column += bytes;
    }
    return received_bytes(largest_.of(product.rows, product.columns), reads);
  }

  constexpr std::int64_t copies_of_rows(const call& row) const {
    std::int64_t bytes = 0;
    for (std::int32_t i = 0; i < row.reads; ++i) {
      const buffer& memory = buffers_[operand_of(row, row.writes + i)];
      const tile_block block = largest_.of_whole_rows(batch_, memory.extents.elements());
      bytes += block.elements() * bytes_of(memory.type);
    }
    return bytes;
  }

  constexpr std::int64_t copies_of_reads(const call& row) const {
    std::int64_t bytes = 0;
    for (std::int32_t i = 0; i < row.reads; ++i) {
      bytes += home_[operand_of(row, row.writes + i)];
    }
    return bytes;
  }

  graph_view model_;
  program_plan_view plan_;
  std::span<const buffer> buffers_;
  std::span<const std::int64_t> home_;  ///< by buffer: bytes on the busiest tile
  std::int32_t batch_;
  largest_blocks largest_;
  list<tile_use> made_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
