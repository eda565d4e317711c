// SPDX-License-Identifier: MIT
// A matrix in float64, stored by rows. The reference uses nothing of the library.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace reference {

/// [rows, columns], row by row.
struct matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;

  matrix() = default;

  matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count, 0.0) {}

  double* row(std::size_t r) { return values.data() + r * columns; }

  const double* row(std::size_t r) const { return values.data() + r * columns; }
};

/// Floats as a matrix, which is exact.
inline matrix widened(std::span<const float> values, std::size_t columns) {
  matrix made(values.size() / columns, columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    made.values[i] = static_cast<double>(values[i]);
  }
  return made;
}

/// Element by element a + b.
inline matrix sum(const matrix& a, const matrix& b) {
  matrix made = a;
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    made.values[i] += b.values[i];
  }
  return made;
}

}  // namespace reference
