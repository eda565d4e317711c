// SPDX-License-Identifier: MIT
// Sums over a whole parameter, which an update may ask for: how they are cut into blocks.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/transfer.hpp>

namespace ipu_dsl {

/// The blocks of a sum over a parameter, which is seen as [rows, columns]: weights in panels as the
/// matrix that they are, of which each column of a block is one chain in order of rows; anything
/// else as one column, of whose numbers a block adds up sixteen chains. The sums of blocks are then
/// added in one order. So the bits depend on the extents of the parameter and on nothing else.
struct sum_blocks {
  std::int32_t rows = 0;
  std::int32_t columns = 1;
  std::int32_t rows_of_block = 0;  ///< of the last one as many as are left
  std::int32_t blocks = 0;

  /// Of one sum.
  constexpr std::int32_t parts() const { return blocks * columns; }
};

constexpr sum_blocks sum_blocks_of(const parameter_extents& parameter) {
  const bool in_panels = parameter.lies == storage::panels;
  const std::int32_t most = in_panels ? 256 : 4096;
  sum_blocks made;
  made.columns = in_panels ? parameter.extents[parameter.extents.rank - 1] : 1;
  made.rows = static_cast<std::int32_t>(parameter.extents.elements()) / made.columns;
  made.rows_of_block = made.rows < most ? made.rows : most;
  made.blocks = (made.rows + made.rows_of_block - 1) / made.rows_of_block;
  return made;
}

struct parameter_sum_call {
  std::int32_t stage;  ///< of the update
  parameter_extents parameter;
};

/// Writes what a stage of an optimizer sums up over a parameter, [sums, blocks, columns]; reads the
/// parameter, what is kept beside it, its gradient, and the sums of the stages before. The
/// optimizer is the one that the call ends with.
inline constexpr family parameter_sum_family{.name = "parameter sum"};

}  // namespace ipu_dsl
