// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/transpose.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;

TEST_CASE("transposing moves every element, pads with zero and is its own inverse") {
  int checked = 0;
  for (const int rows : {1, 3, 4, 7, 8, 13, 31, 32, 33}) {
    for (const int columns : {1, lanes - 1, lanes, lanes + 1, 10, 24, 2 * lanes + 1}) {
      const test::buffer from = test::random_rows(rows, columns, 91);
      const std::int64_t from_stride = layout::row_stride(columns);
      const std::int64_t to_stride = layout::batch_stride(rows);
      test::buffer to(columns * to_stride);
      kernels::transpose(from.data(), to.data(), rows, columns);
      int wrong = 0;
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          wrong += to[column * to_stride + row] == from[row * from_stride + column] ? 0 : 1;
          ++checked;
        }
      }
      test::buffer back(from.size());
      kernels::transpose(to.data(), back.data(), columns, rows);
      INFO(rows << " x " << columns);
      CHECK(wrong == 0);
      CHECK(test::padding_is_zero(to, columns, rows));
      CHECK(to.intact());
      CHECK(test::same_bits(back.view(), from.view()));
      CHECK(back.intact());
    }
  }
  CHECK(checked > 0);
  std::printf("transpose: checked %d elements\n", checked);
}
