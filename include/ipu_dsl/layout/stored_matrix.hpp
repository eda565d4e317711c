// SPDX-License-Identifier: MIT
// Buffers as matrices: where an element lies, however its buffer is laid out.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/storage.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// A matrix [rows, columns] in a buffer of four-byte elements: [batch, elements of a sample], or
/// [batch * positions, features] where positions are padded, [inputs, units] of a kernel, [1,
/// units] of a bias. Parameters that lie plainly have no padding between rows, and neither have
/// labels, [batch, 1].
class stored_matrix {
 public:
  constexpr stored_matrix() = default;

  constexpr stored_matrix(storage lies, std::int32_t rows, std::int32_t columns)
      : lies_(lies), rows_(rows), columns_(columns) {
    switch (lies) {
      case storage::rows:
      case storage::positions:
        stride_ = layout::row_stride(columns);
        break;
      case storage::columns:
        stride_ = layout::batch_stride(rows);
        break;
      case storage::panels:
        stride_ = layout::panel_width(columns);
        break;
      case storage::panel_bias:
      case storage::plain:
        stride_ = columns;
        break;
    }
  }

  constexpr std::int32_t rows() const { return rows_; }

  constexpr std::int32_t columns() const { return columns_; }

  /// Which element of the buffer it is.
  constexpr std::int64_t index_of(std::int32_t row, std::int32_t column) const {
    switch (lies_) {
      case storage::columns:
        return std::int64_t{column} * stride_ + row;
      case storage::panels:
        return (std::int64_t{column / stride_} * rows_ + row) * stride_ + column % stride_;
      case storage::rows:
      case storage::positions:
      case storage::panel_bias:
      case storage::plain:
        break;
    }
    return std::int64_t{row} * stride_ + column;
  }

  /// The same of element `number`, counted row by row.
  constexpr std::int64_t index_of(std::int64_t number) const {
    return index_of(static_cast<std::int32_t>(number / columns_),
                    static_cast<std::int32_t>(number % columns_));
  }

  constexpr std::int64_t elements() const { return std::int64_t{rows_} * columns_; }

 private:
  storage lies_ = storage::rows;
  std::int32_t rows_ = 0;
  std::int32_t columns_ = 0;
  std::int32_t stride_ = 0;  ///< from a sample, a column or a row to the next; a panel's width
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
