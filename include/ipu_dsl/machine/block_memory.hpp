// SPDX-License-Identifier: MIT
// What a block of an operator's output takes in its tile's memory: what it reads, and itself.
#pragma once

#include <cstdint>

#include <ipu_dsl/machine/tile_map.hpp>

namespace ipu_dsl {

/// What an operator reads for its output, in bytes: from these follows what one block of it reads.
/// A tile has private copies of all of it, received in the exchange before it computes.
struct operand_bytes {
  std::int64_t row = 0;      ///< for each row of a block
  std::int64_t column = 0;   ///< for each column
  std::int64_t element = 0;  ///< for each element
};

/// Of a product over `reduction` numbers of `bytes` each: a block of r x c reads k (r + c) numbers.
constexpr operand_bytes product_operands(std::int64_t reduction, std::int64_t bytes) {
  return {.row = reduction * bytes, .column = reduction * bytes};
}

/// Bytes that the tile of a block receives.
constexpr std::int64_t received_bytes(const tile_block& block, const operand_bytes& reads) {
  return block.rows() * reads.row + block.columns() * reads.column +
         block.elements() * reads.element;
}

/// Bytes that a block takes on its tile: the private copies and the output, of `element_bytes`
/// each.
constexpr std::int64_t block_bytes(const tile_block& block, const operand_bytes& reads,
                                   std::int64_t element_bytes) {
  return received_bytes(block, reads) + block.elements() * element_bytes;
}

}  // namespace ipu_dsl
