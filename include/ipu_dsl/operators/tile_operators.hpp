// SPDX-License-Identifier: MIT
// Where a family meets its code for tiles: one block of an output, from private copies of what the
// block needs and nothing else. It is there to verify the kernels, not to be fast.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/stored_matrix.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The part of a matrix that a tile has in its memory, counted from its own first row and column.
class private_matrix {
 public:
  private_matrix() = default;

  private_matrix(float* first, std::int32_t rows, std::int32_t columns, std::int32_t pitch)
      : first_(first), rows_(rows), columns_(columns), pitch_(pitch) {}

  std::int32_t rows() const { return rows_; }

  std::int32_t columns() const { return columns_; }

  float& operator()(std::int32_t row, std::int32_t column) const {
    return first_[std::int64_t{row} * pitch_ + column];
  }

  /// An element of a matrix of integers: labels.
  std::int32_t integer(std::int32_t row, std::int32_t column) const {
    return std::bit_cast<std::int32_t>((*this)(row, column));
  }

 private:
  float* first_ = nullptr;
  std::int32_t rows_ = 0;
  std::int32_t columns_ = 0;
  std::int32_t pitch_ = 0;  ///< elements from a row to the next
};

/// What the code of a block is told.
struct tile_step {
  const call_signature& signature;
  const float* scalars;
  const run_context& context;
  index_range rows;                          ///< of the block, in the whole output
  index_range columns;                       ///< of the block, in the whole output
  std::span<const private_matrix> operands;  ///< in the order in which the job names them
};

using tile_function = void (*)(const tile_step& here);

/// Which rows, or columns, of an operand a block needs: all, those numbered as the block's rows, or
/// those numbered as its columns.
enum class block_reach : std::uint8_t { all, rows, columns };

/// An operand of a job.
struct tile_operand {
  std::int32_t operand = 0;  ///< of the call: first what it writes, then what it reads
  stored_matrix matrix;
  block_reach rows = block_reach::rows;
  block_reach columns = block_reach::columns;
  bool received = true;  ///< copied to the tile before the block is computed
  bool sent = false;     ///< copied back behind it
};

/// An output [rows, columns] of a call, whose blocks tiles compute; what else they write has the
/// same extents.
struct tile_job {
  std::int32_t rows = 1;
  std::int32_t columns = 1;
  bool whole_rows = false;  ///< blocks are not cut across rows
  tile_function compute = nullptr;
  list<tile_operand> operands;

  /// A block of what is only written.
  tile_job& writes(std::int32_t operand, const stored_matrix& matrix) {
    operands.push_back({.operand = operand, .matrix = matrix, .received = false, .sent = true});
    return *this;
  }

  /// A block of what is read and written.
  tile_job& updates(std::int32_t operand, const stored_matrix& matrix) {
    operands.push_back({.operand = operand, .matrix = matrix, .sent = true});
    return *this;
  }

  tile_job& reads(std::int32_t operand, const stored_matrix& matrix,
                  block_reach rows_reach = block_reach::rows,
                  block_reach columns_reach = block_reach::columns) {
    operands.push_back(
        {.operand = operand, .matrix = matrix, .rows = rows_reach, .columns = columns_reach});
    return *this;
  }
};

/// What a call is to the tiles. Without jobs it is run by its ordinary code, as what comes from the
/// host and goes to it.
using tile_jobs = list<tile_job>;

/// The code of a family for tiles. Specialise it beside `operators` to have a family of your own
/// verified:
///
///   template <>
///   struct tile_operators<&my_family> {
///     static tile_jobs jobs(const call_signature& signature);
///   };
template <const family* Family>
struct tile_operators;

/// Whether the family has code for tiles.
template <const family* Family>
concept has_tile_operators = requires(const call_signature& signature) {
  { tile_operators<Family>::jobs(signature) };
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
