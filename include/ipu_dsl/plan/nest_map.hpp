// SPDX-License-Identifier: MIT
// How the tiles of a device share a nest of a call, and what each of them reaches for its part.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/machine/tile_map.hpp>
#include <ipu_dsl/plan/access_view.hpp>

namespace ipu_dsl {

/// The positions from `begin` on, up to but without `end`.
struct position_range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  constexpr std::int64_t size() const { return end > begin ? end - begin : 0; }

  friend constexpr bool operator==(const position_range&, const position_range&) = default;
};

/// Part of a nest: of each axis of the call a range; of the axes of other nests it means nothing.
struct nest_block {
  static constexpr std::size_t most_axes = 16;

  position_range ranges[most_axes] = {};
};

/// Axes of one call.
constexpr list_view<access_axis> axes_of(const access_view& all, const call_access& row) {
  return all.axes.part(row.first_axis, row.axes);
}

constexpr list_view<operand_access> operands_of(const access_view& all, const call_access& row) {
  return all.operands.part(row.first_operand, row.operands);
}

constexpr list_view<reach> reaches_of(const access_view& all, const operand_access& row) {
  return all.reaches.part(row.first_reach, row.reaches);
}

constexpr bool is_cut(const access_axis& along, std::int32_t nest) {
  return along.cut && along.nest == nest;
}

/// The cut axes of a nest as a matrix: the last as columns, those before it together as rows. A
/// single one is all rows; a nest without any is one block.
struct nest_extents {
  static constexpr std::size_t none = ~std::size_t{0};

  std::size_t column_axis = none;
  std::int64_t rows = 1;
  std::int64_t columns = 1;

  constexpr nest_extents(list_view<access_axis> axes, std::int32_t nest) {
    std::size_t last = none;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (is_cut(axes[i], nest)) {
        column_axis = last == none ? none : i;
        last = i;
      }
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (i == column_axis) {
        columns = axes[i].extent;
      } else if (is_cut(axes[i], nest)) {
        rows *= axes[i].extent;
      }
    }
  }
};

/// Deals a nest over tiles in blocks: its cut axes are cut, the others whole in every block. Of an
/// axis of steps a block is the last step, which reaches what was written before it.
class nest_map {
 public:
  constexpr nest_map(list_view<access_axis> axes, std::int32_t nest, std::int64_t tiles)
      : nest_map(axes, nest, nest_extents(axes, nest), tiles) {}

  /// In a grid that was chosen for the extents of the nest.
  constexpr nest_map(list_view<access_axis> axes, std::int32_t nest, const nest_extents& extents,
                     const tile_grid& grid)
      : axes_(axes.size()) {
    std::int64_t rows = grid.tile_rows;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      balanced_deal& deal = deals_[i];
      deal.extent = axes[i].step ? 1 : axes[i].extent;
      first_[i] = axes[i].extent - deal.extent;
      if (i == extents.column_axis) {
        deal.parts = grid.tile_columns;
      } else if (is_cut(axes[i], nest)) {
        deal.parts = rows < deal.extent ? rows : deal.extent;
        rows /= deal.parts;
      }
      blocks_ *= deal.parts;
    }
  }

  /// How many tiles have a block: those from 0 on.
  constexpr std::int64_t blocks() const { return blocks_; }

  constexpr nest_block block_of(std::int64_t tile) const {
    nest_block made;
    for (std::size_t i = axes_; i-- > 0;) {
      const std::int64_t part = tile % deals_[i].parts;
      made.ranges[i] = {first_[i] + deals_[i].begin(part), first_[i] + deals_[i].begin(part + 1)};
      tile /= deals_[i].parts;
    }
    return made;
  }

  /// The block of tile 0: none is larger along any axis.
  constexpr nest_block busiest() const {
    nest_block made;
    for (std::size_t i = 0; i < axes_; ++i) {
      made.ranges[i] = {first_[i], first_[i] + deals_[i].largest()};
    }
    return made;
  }

 private:
  constexpr nest_map(list_view<access_axis> axes, std::int32_t nest, const nest_extents& extents,
                     std::int64_t tiles)
      : nest_map(axes, nest, extents, choose_grid(extents.rows, extents.columns, tiles)) {}

  balanced_deal deals_[nest_block::most_axes] = {};
  std::int64_t first_[nest_block::most_axes] = {};
  std::size_t axes_ = 0;
  std::int64_t blocks_ = 1;
};

/// The least range that holds the positions of one extent which a block reaches.
constexpr position_range reached(const reach& at, const nest_block& block, std::int64_t extent) {
  if (at.gathered) {
    return {0, extent};
  }
  std::int64_t least = at.offset;
  std::int64_t most = at.offset;
  const auto widen = [&](std::int16_t along, std::int64_t factor) {
    if (along >= 0) {
      const position_range& range = block.ranges[along];
      const std::int64_t first = factor * range.begin;
      const std::int64_t last = factor * (range.end - 1);
      least += factor < 0 ? last : first;
      most += factor < 0 ? first : last;
    }
  };
  widen(at.first, at.scale);
  widen(at.second, at.dilation);
  const std::int64_t begin = least < 0 ? 0 : (least + at.divisor - 1) / at.divisor;
  const std::int64_t end = most < 0 ? 0 : most / at.divisor + 1;
  return {begin, end < extent ? end : extent};
}

/// The extent that reach `i` of an access speaks of.
constexpr std::int64_t extent_of(const operand_access& row, std::int32_t i, std::int32_t batch) {
  if (row.samples > 0) {
    return i == 0 ? std::int64_t{batch} * row.samples : row.extents[i - 1];
  }
  return row.extents[i];
}

/// How many elements of an operand a block reaches.
constexpr std::int64_t reached_elements(const access_view& all, const operand_access& row,
                                        const nest_block& block, std::int32_t batch) {
  if (row.whole) {
    return row.extents.elements() * (row.samples > 0 ? batch * row.samples : 1);
  }
  const list_view<reach> reaches = reaches_of(all, row);
  std::int64_t elements = 1;
  for (std::int32_t i = 0; i < row.reaches; ++i) {
    elements *= reached(reaches[i], block, extent_of(row, i, batch)).size();
  }
  return elements;
}

/// Whether what a block reaches are the elements that lie on its own tile: those that the cut axes
/// of its nest name, and no others.
constexpr bool lies_at_home(const access_view& all, list_view<access_axis> axes,
                            const operand_access& row) {
  if (row.whole) {
    return false;
  }
  std::int32_t named = 0;
  for (const reach& at : reaches_of(all, row)) {
    if (!at.is_index() || !axes[at.first].cut) {
      return false;
    }
    ++named;
  }
  std::int32_t cut = 0;
  for (const access_axis& each : axes) {
    cut += each.nest == row.nest && each.cut ? 1 : 0;
  }
  return named == cut;
}

}  // namespace ipu_dsl
