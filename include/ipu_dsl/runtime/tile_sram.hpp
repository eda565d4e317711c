// SPDX-License-Identifier: MIT
// The private memory of one tile, poisoned beyond what lies in it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <ipu_dsl/operators/tile_operators.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Matrices one behind the other, each row between numbers that are none: what reads beside a
/// matrix makes results that are not numbers, what writes there is found. Taken anew for each
/// block; its matrices are valid until then.
class tile_sram {
 public:
  /// Empties the memory, for as many elements as `take` will be asked for with `margins_of`.
  void clear(std::int64_t elements) {
    memory_.assign(static_cast<std::size_t>(elements), poison());
    matrices_.clear();
    used_ = 0;
    held_ = 0;
  }

  /// Elements that a matrix takes with what lies around it: a number that is none in front of it
  /// and behind each row, and a row of them before and after.
  static std::int64_t with_margins(std::int64_t rows, std::int64_t columns) {
    return (rows + 2) * (columns + 1) + 1;
  }

  private_matrix take(std::int32_t rows, std::int32_t columns) {
    const std::int32_t pitch = columns + 1;
    const private_matrix made(memory_.data() + used_ + pitch + 1, rows, columns, pitch);
    used_ += with_margins(rows, columns);
    held_ += std::int64_t{rows} * columns;
    matrices_.push_back(made);
    return made;
  }

  /// Bytes of all matrices, without what lies around them.
  std::int64_t bytes() const { return held_ * static_cast<std::int64_t>(sizeof(float)); }

  /// Whether nothing was written beside the matrices.
  bool margins_are_whole() const {
    std::int64_t inside = 0;
    for (const private_matrix& matrix : matrices_) {
      for (std::int32_t row = 0; row < matrix.rows(); ++row) {
        for (std::int32_t column = 0; column < matrix.columns(); ++column) {
          inside += is_poison(matrix(row, column)) ? 1 : 0;
        }
      }
    }
    const auto poisoned = std::count_if(memory_.begin(), memory_.end(), is_poison);
    return poisoned - inside == static_cast<std::int64_t>(memory_.size()) - held_;
  }

  /// Whether an element is still what the memory was filled with, or was computed from it: what is
  /// computed from it has all its bits.
  static bool is_poison(float element) { return std::bit_cast<std::uint32_t>(element) == ~0U; }

 private:
  static float poison() { return std::bit_cast<float>(~0U); }

  std::vector<float> memory_;
  std::vector<private_matrix> matrices_;
  std::int64_t used_ = 0;
  std::int64_t held_ = 0;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
